import { ConfigError } from '../errors/config-error.ts';

/** What a name of a tool may hold, here or on other runtimes, and the star. */
const PATTERN = /^[\w.:/*-]+$/;

/** Tells the tools that some pattern means. Throws `ConfigError` for a pattern that could mean anything else. */
export function toolMatcher(patterns: unknown): (toolName: string) => boolean {
  if (!Array.isArray(patterns) || patterns.length === 0) {
    throw problem(
      'forTools',
      'is given no list of tools',
      "Write `forTools(['refund_*'], policy)`",
    );
  }
  const names = new Set<string>();
  const globs: (readonly string[])[] = [];
  for (const [index, pattern] of patterns.entries()) {
    if (typeof pattern !== 'string' || !PATTERN.test(pattern)) {
      throw problem(
        `forTools: pattern ${index + 1}`,
        'is neither the name of a tool nor a name with `*` in it',
        "Write 'refund', 'refund_*' or '*'; nothing but `*` has a meaning",
      );
    }
    if (pattern.includes('*')) globs.push(pattern.split('*'));
    else names.add(pattern);
  }
  return (toolName) => names.has(toolName) || globs.some((pieces) => fits(toolName, pieces));
}

/** The pieces between the stars, in order and apart. Takes the first place for each, so it never has to go back. */
function fits(name: string, pieces: readonly string[]): boolean {
  const [start = '', ...rest] = pieces;
  const end = rest.pop() ?? '';
  if (!name.startsWith(start) || !name.endsWith(end)) return false;
  let from = start.length;
  for (const piece of rest) {
    const at = name.indexOf(piece, from);
    if (at === -1) return false;
    from = at + piece.length;
  }
  return from + end.length <= name.length;
}

function problem(where: string, what: string, fix: string): ConfigError {
  return new ConfigError('invalid-pattern', { where, what, fix });
}
