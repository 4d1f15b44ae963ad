import { ConfigError } from '../errors/config-error.ts';
import type { Note } from '../loop/note.ts';

/**
 * A note that tells the model how to go on after a tool, by the tool's name: in the one request that brings the result,
 * and in no other. Copied: a later change of `hints` has no effect.
 */
export function toolHints(hints: { readonly [toolName: string]: string }): Note {
  const texts = new Map(Object.entries(hints));
  const wrong = [...texts].find(([, text]) => typeof text !== 'string');
  if (wrong !== undefined) {
    throw new ConfigError('invalid-option', {
      where: 'toolHints',
      what: `the hint for '${wrong[0]}' is no text`,
      fix: "Pass a text for each tool, as in `toolHints({ search: 'Name the source' })`",
    });
  }
  return Object.freeze({
    name: 'tool-hints',
    text: ({ lastTools }): string | undefined => {
      const told = lastTools.flatMap((name) => texts.get(name) ?? []);
      return told.length === 0 ? undefined : told.join('\n');
    },
  } satisfies Note);
}
