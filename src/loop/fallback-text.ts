import type { FallbackCause } from '../events/event.ts';
import { fillTemplate } from '../protocol/template.ts';
import type { Rules } from './rules.ts';
import type { ThreadState } from './state.ts';

/** What the user is shown in the place of what was withheld, with the values of the thread. */
export function fallbackText(
  { values }: Pick<ThreadState, 'values'>,
  cause: FallbackCause,
  { fallbacks, state }: Pick<Rules, 'fallbacks' | 'state'>,
): string {
  const text = fallbacks[cause];
  if (state === undefined) return text;
  const isField = (name: string): boolean => state.fields.includes(name);
  return fillTemplate(text, { ...state.defaults, ...values }, isField);
}
