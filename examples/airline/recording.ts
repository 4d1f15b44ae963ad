/** The recorded conversations beside this file. */
import { readFileSync } from 'node:fs';
import * as z from 'zod';

export interface Recording {
  readonly id: string;
  /** 1 when the recorded agent reached the right end state, else 0. */
  readonly reward: number;
  /** What the customer said, as far as the record has an answer to it: one turn each. */
  readonly questions: readonly string[];
  /** All messages, as OpenAI's chat format has them. */
  readonly transcript: readonly unknown[];
}

/** Where a record ends with a tool's answer, the model's next words are not in it. This stands for them. */
const END_OF_RECORD = '(The record ends here.)';

const conversationSchema = z.object({
  id: z.string(),
  reward: z.number(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.string().nullable() })),
});

export function readRecordings(): readonly Recording[] {
  const lines = readData('conversations.jsonl').trimEnd().split('\n');
  return lines.map((line) => {
    const { id, reward, messages } = conversationSchema.parse(JSON.parse(line));
    const endsWithTool = messages.at(-1)?.role === 'tool';
    const end = { role: 'assistant', content: END_OF_RECORD };
    return {
      id,
      reward,
      questions: messages
        .filter(({ role }, index) => role === 'user' && index + 1 < messages.length)
        .map(({ content }) => content ?? ''),
      transcript: endsWithTool ? [...messages, end] : messages,
    };
  });
}

/** A file of the data folder. */
export function readData(name: string): string {
  return readFileSync(new URL(`data/${name}`, import.meta.url), 'utf8');
}
