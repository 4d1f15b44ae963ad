/**
 * What a terminal must not be told by a transcript: control characters, which move the cursor or paint, and those that
 * turn the direction of a text around. Each is written out as what it is.
 */
const UNPRINTABLE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]/gu;

/** A foreign text on one line, as it may be printed. */
export function plain(text: string): string {
  return text.replace(/\s*[\r\n]+\s*/g, ' ').replace(UNPRINTABLE, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return character === '\t' ? ' ' : `\\u{${code.toString(16)}}`;
  });
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
