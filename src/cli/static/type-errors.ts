import type * as typescript from 'typescript';
import { intendedHook } from '../../hooks/intended-hook.ts';
import type { Source } from './program.ts';
import { findingAt, type StaticFinding } from './static-finding.ts';

/** `override` of a member that the base class does not have. */
const NOTHING_TO_OVERRIDE: readonly number[] = [4113, 4117, 4122, 4123];
/** A module, or a name in one, that is not there. */
const MISSING: readonly number[] = [2305, 2307, 2724, 2792];
/** A value does not fit where it is put, which for a hook is the whole method. */
const NOT_ASSIGNABLE: readonly number[] = [
  2322, 2326, 2345, 2375, 2379, 2416, 2420, 2739, 2740, 2741, 2769,
];
/** Something unused is untidy, and no mistake of a policy. */
const UNTIDY: readonly number[] = [6133, 6138, 6192, 6196, 6198, 6199, 6205];
/** Without a config nobody has said which globals and packages there are. */
const UNCONFIGURED: readonly number[] = [2304, 2503, 2580, 2584, 2591, 2688, 2875, 7016];

/** A file that cannot be read has no types to speak of; what follows from its first error is noise. */
export function syntaxErrors(source: Source): readonly StaticFinding[] {
  const [first] = source.program.getSyntacticDiagnostics(source.tree);
  if (first === undefined) return [];
  const what = textOf(source, first);
  const fix = 'Correct the syntax; nothing of this file is checked until then';
  return [findingAt(source, first.start ?? 0, { code: 'syntax-error', what, fix })];
}

/** What the compiler of the project refuses in a file. */
export function typeErrors(source: Source): readonly StaticFinding[] {
  const { ts, program, tree, hasConfig } = source;
  return program
    .getSemanticDiagnostics(tree)
    .filter(({ category, code }) => {
      if (category !== ts.DiagnosticCategory.Error || UNTIDY.includes(code)) return false;
      return hasConfig || !UNCONFIGURED.includes(code);
    })
    .flatMap((diagnostic) => findingOf(source, diagnostic) ?? []);
}

function findingOf(source: Source, diagnostic: typescript.Diagnostic): StaticFinding | undefined {
  const { start = 0, length = 0, code } = diagnostic;
  const text = source.tree.text.slice(start, start + length);
  if (NOTHING_TO_OVERRIDE.includes(code)) {
    const meant = intendedHook(text);
    const what = `overrides '${text}', which is no hook and would never be called`;
    const fix =
      meant === undefined ? 'Remove `override`, or name a hook' : `Did you mean '${meant}'?`;
    return findingAt(source, start, { code: 'unknown-hook', what, fix, member: text });
  }
  const what = textOf(source, diagnostic);
  if (MISSING.includes(code)) {
    if (!source.hasConfig && /^['"]node:/.test(text)) return undefined;
    const fix = 'Check the path (with its extension) and what is installed';
    return findingAt(source, start, { code: 'missing-import', what, fix });
  }
  const fix = 'Correct the type; `tsc` says the same';
  const found = findingAt(source, start, { code: 'type-error', what: `TS${code}: ${what}`, fix });
  return NOT_ASSIGNABLE.includes(code) ? { ...found, isWholeMember: true } : found;
}

/** The outermost sentence and the innermost, which says why. */
function textOf({ ts }: Source, { messageText }: typescript.Diagnostic): string {
  const lines = ts
    .flattenDiagnosticMessageText(messageText, '\n')
    .split('\n')
    .map((line) => line.trim());
  const [first = ''] = lines;
  const last = lines.at(-1) ?? first;
  return (last === first ? first : `${first} ${last}`).replace(/\.$/, '');
}
