import { readFileSync } from 'node:fs';
import type { Finding } from '../errors/hook-validation-error.ts';

/** Where something stands in a file, from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** What a finding is about: an export of a module, and a member of it. */
export interface Subject {
  /** `default` for the default export. */
  readonly exported?: string | undefined;
  readonly member?: string | undefined;
}

/** The place of a finding, for a person to go to. Read from the text, as it has to work without a compiler. */
export function locate(path: string, { exported, member }: Subject): Position {
  const text = readFileSync(path, 'utf8');
  const start = exported === undefined ? 0 : Math.max(0, text.search(exportOf(exported)));
  const at = member === undefined ? -1 : memberFrom(text, member, start);
  return positionOf(text, at === -1 ? start : at);
}

export function positionOf(text: string, index: number): Position {
  const before = text.slice(0, index).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

/** The same finding, with its place. */
export function placed(finding: Finding, file: string, at: Position): Finding {
  return Object.freeze({ ...finding, file, ...at });
}

/** After the export when it is written there, else anywhere: a class may stand above the export of its instance. */
function memberFrom(text: string, member: string, start: number): number {
  const declared = new RegExp(`(?<![\\w$.])${escaped(member)}(?=\\s*\\??\\s*[(:=<,}])`);
  const after = text.slice(start).search(declared);
  return after === -1 ? text.search(declared) : start + after;
}

function exportOf(name: string): RegExp {
  if (name === 'default') return /\bexport\s+default\b|\bmodule\.exports\s*=/;
  const declared =
    '\\bexport\\s+(?:const|let|var|(?:abstract\\s+)?class|(?:async\\s+)?function)\\s+';
  return new RegExp(`(?:${declared}|\\bexports\\.)${escaped(name)}(?![\\w$])`);
}

function escaped(name: string): string {
  return name.replace(/[^\w]/g, '\\$&');
}
