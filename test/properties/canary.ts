/*
 * Every text of a run holds a word of its own, so that it can be found again wherever it went. The letter says what
 * it is: A answer, R thoughts, I input, U user, O tool output, F feedback; and rewritten: B answer, J input, V user,
 * P output, S said, E a request.
 */

export type CanaryKind = 'A' | 'R' | 'I' | 'U' | 'O' | 'F' | 'B' | 'J' | 'V' | 'P' | 'S' | 'E';

export function canary(kind: CanaryKind, id: number | string): string {
  return `zq${kind}${id}qz`;
}

/** Every such word in a value. */
export function canariesIn(value: unknown): ReadonlySet<string> {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return new Set(text.match(/zq[A-Z][\d.]+qz/g) ?? []);
}
