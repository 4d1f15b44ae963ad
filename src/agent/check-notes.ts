import { ConfigError } from '../errors/config-error.ts';

/** Refuses what is no note, and two of one name. */
export function checkNotes(notes: unknown): void {
  if (!Array.isArray(notes)) return;
  const names = new Set<unknown>();
  for (const [index, note] of notes.entries()) {
    const problem = problemOf(note, names);
    if (problem === undefined) continue;
    throw new ConfigError('invalid-option', {
      where: `createAgent: notes[${index}]`,
      what: problem,
      fix: 'Pass `{ name, text }`: a name of its own, and a function that gives a text or nothing',
    });
  }
}

/** Adds the name of a usable note to those that are taken. */
function problemOf(note: unknown, names: Set<unknown>): string | undefined {
  if (typeof note !== 'object' || note === null) return 'it is no note';
  const name: unknown = Reflect.get(note, 'name');
  if (typeof name !== 'string' || name.trim() === '') return '`name` is no text';
  if (names.has(name)) return 'another note has its name';
  names.add(name);
  return typeof Reflect.get(note, 'text') === 'function' ? undefined : '`text` is no function';
}
