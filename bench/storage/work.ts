import * as z from 'zod';

/**
 * The work of the storage bench: one more turn on a thread that has a history. Each step but the last writes a text
 * and asks for one tool; the last one answers. Nothing of agent-hooks or of its peer is imported here.
 */

export const TOOL_STEPS = 10;
/** Model calls of a turn. */
export const STEPS: number = TOOL_STEPS + 1;
/** Messages that a turn adds: the question, two for every step with a tool, the answer. */
export const NEW_MESSAGES: number = 2 * TOOL_STEPS + 2;

export const SYSTEM = 'You tell the weather.';
export const QUESTION: string = text('What is the weather on my way?', 200);
export const ANSWER: string = text('It is warm on all of your way.', 200);

/** A message of the history: questions and answers in turn. */
export interface OldMessage {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

export function oldMessages(length: number): readonly OldMessage[] {
  return Array.from({ length }, (_, index) => {
    return { role: index % 2 === 0 ? 'user' : 'assistant', text: text(`message ${index}`, 200) };
  });
}

/** What the model says in a step; without a call in the last. */
export interface Spoken {
  readonly text: string;
  readonly call?: { readonly id: string; readonly city: string };
}

/** `messages` is how many the model is shown, without instructions. */
export function spokenAfter(messages: number, history: number): Spoken {
  const step = (messages - history - 1) / 2;
  if (!Number.isInteger(step) || step < 0 || step > TOOL_STEPS) {
    throw new Error(`${messages} messages after a history of ${history} are miscounted`);
  }
  if (step === TOOL_STEPS) return { text: ANSWER };
  return {
    text: text(`Step ${step}: I look up the next town.`, 200),
    call: { id: `call_${history}_${step}`, city: `Town ${step}` },
  };
}

export const USAGE = { inputTokens: 10, outputTokens: 20 } as const;

export const weatherInput: z.ZodObject<{ city: z.ZodString }> = z.object({ city: z.string() });

/** How often the tool ran. */
export const counts = { tools: 0 };

export async function lookUp(input: { readonly city: string }): Promise<{ report: string }> {
  counts.tools += 1;
  return { report: text(`In ${input.city} it is warm.`, 400) };
}

/** As many characters as asked for, no two texts alike. */
function text(start: string, length: number): string {
  return start.padEnd(length, ` ${start} and so on`);
}
