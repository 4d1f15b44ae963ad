import type { SchemaIssue } from './schema.ts';

const MAX_LISTED = 20;
const MIN_HIDDEN = 4;

/**
 * All faults of a value as one text for the model: each with its field and what is allowed there. The value
 * itself is never quoted, since it may be a secret: where a message repeats it, it is taken out.
 */
export function describeIssues(
  issues: readonly SchemaIssue[],
  value: unknown,
  root: 'input' | 'output' = 'input',
): string {
  const lines = issues
    .flatMap((issue) => flatten(issue, []))
    .map((fault) => describe(fault, value, root));
  const unique = [...new Set(lines)];
  const rest = unique.length - MAX_LISTED;
  return rest > 0
    ? `${unique.slice(0, MAX_LISTED).join('; ')}; and ${rest} more`
    : unique.join('; ');
}

/** The first fault alone: its field, and what is allowed there. */
export function describeFirstIssue(
  issues: readonly SchemaIssue[],
  value: unknown,
): { readonly path: readonly PropertyKey[]; readonly text: string } {
  const fault = issues.flatMap((issue) => flatten(issue, []))[0] ?? { path: [], message: '' };
  return { path: fault.path, text: describe(fault, value, 'output') };
}

interface Fault {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** A union says only that nothing fitted; what helps is what is wrong with the alternative that came closest. */
function flatten(issue: SchemaIssue, parent: readonly PropertyKey[]): Fault[] {
  const path = [...parent, ...pathOf(issue)];
  const branches = issue.errors ?? [];
  if (issue.code !== 'invalid_union' || branches.length === 0)
    return [{ path, message: issue.message }];
  const started = branches.filter((branch) => branch.some((one) => pathOf(one).length > 0));
  const closest = started.toSorted((a, b) => a.length - b.length)[0];
  if (closest !== undefined) return closest.flatMap((one) => flatten(one, path));
  const messages = branches.flatMap((branch) => branch.flatMap((one) => flatten(one, path)));
  return [{ path, message: [...new Set(messages.map((fault) => fault.message))].join(', or ') }];
}

function describe({ path, message }: Fault, value: unknown, root: string): string {
  const field = path.length === 0 ? root : path.map(String).join('.');
  return `${field}: ${hideValues(message, leaves(readAt(value, path)))}`;
}

/** The path of an issue as plain keys; the standard allows objects that hold the key. */
export function pathOf(issue: SchemaIssue): readonly PropertyKey[] {
  return (issue.path ?? []).map((part) => (typeof part === 'object' ? part.key : part));
}

function readAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<PropertyKey, unknown>)[key]; // An own key of an object can be read.
  }
  return at;
}

/** Everything in a value that a message could repeat. Short texts and small numbers also name types and limits. */
function leaves(value: unknown): string[] {
  if (typeof value === 'string') return value.length >= MIN_HIDDEN ? [value] : [];
  if (typeof value === 'number') return Math.abs(value) >= 1_000 ? [String(value)] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : [];
}

function hideValues(message: string, secrets: readonly string[]): string {
  return secrets.reduce(hideOne, message);
}

/** Whole words only, so that the value `str` does not take `string` apart. */
function hideOne(message: string, secret: string): string {
  let rest = message;
  let result = '';
  for (let at = rest.indexOf(secret); at !== -1; at = rest.indexOf(secret)) {
    const end = at + secret.length;
    const before = rest[at - 1] ?? result.at(-1) ?? ' ';
    const whole = !isWord(before) && !isWord(rest[end] ?? ' ');
    result += rest.slice(0, at) + (whole ? '…' : secret);
    rest = rest.slice(end);
  }
  return result + rest;
}

function isWord(character: string): boolean {
  return /[\p{L}\p{N}_]/u.test(character);
}
