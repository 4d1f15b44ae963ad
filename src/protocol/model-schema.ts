import * as z from 'zod';
import { builtWhenUsed } from '../internal/built-when-used.ts';
import type { FinishReason } from './chat.ts';
import { jsonObjectSchema, textSchema } from './message-schema.ts';

/*
 * What a model's answer is made of, whole or in pieces. Half characters are taken out where the answer is put
 * together: a piece may end within one, and a rule for each text would cost more than all the rest.
 */
const metadata = builtWhenUsed(() => ({ providerMetadata: jsonObjectSchema().optional() }));
const text = builtWhenUsed(() => z.string());
// Whole numbers a sum of which JSON can still hold.
const tokens = builtWhenUsed(() => z.int().nonnegative());

const counts = builtWhenUsed(() => ({
  inputTokens: tokens(),
  outputTokens: tokens(),
  cachedInputTokens: tokens().optional(),
  reasoningTokens: tokens().optional(),
}));
const otherModels = builtWhenUsed(() =>
  z.array(z.object({ model: text(), ...counts() })).optional(),
);
const usage = builtWhenUsed(() => z.object({ ...counts(), otherModels: otherModels() }));

const finish = builtWhenUsed(() => ({
  id: text().optional(),
  model: text().optional(),
  finishReason: z.enum([
    'stop',
    'tool-calls',
    'length',
    'content-filter',
    'error',
    'other',
  ] satisfies FinishReason[]),
  usage: usage(),
}));

const parts = builtWhenUsed(
  () =>
    [
      z.object({ type: z.literal('text'), text: text(), ...metadata() }),
      z.object({ type: z.literal('reasoning'), text: text(), ...metadata() }),
      z
        .object({
          type: z.literal('file'),
          mediaType: textSchema().min(1),
          data: textSchema().optional(),
          url: textSchema().optional(),
          filename: textSchema().optional(),
        })
        .refine(
          (file) => (file.data === undefined) !== (file.url === undefined),
          'needs exactly one of data and url',
        ),
      z.object({
        type: z.literal('tool-call'),
        call: z.object({ id: text(), toolName: text().min(1), inputText: text(), ...metadata() }),
      }),
    ] as const,
);

/** A whole answer. Whoever reads it knows its type; the types of zod would say it at four times the length. */
export const answerSchema: () => z.ZodType<unknown> = builtWhenUsed(() =>
  z.object({
    ...finish(),
    content: z.array(z.discriminatedUnion('type', parts())),
  }),
);

/** One piece of an answer. */
export const streamPartSchema: () => z.ZodType<unknown> = builtWhenUsed(() =>
  z.discriminatedUnion('type', [
    ...parts(),
    z.object({ type: z.literal('tool-input'), id: text(), toolName: text(), text: text() }),
    z.object({ type: z.literal('finish'), result: z.object(finish()) }),
  ]),
);

/** What an answer cost, whatever else it holds. */
export const paidSchema: () => z.ZodType<unknown> = builtWhenUsed(() =>
  z.object({
    // Tokens are not free because nobody can read who used them.
    usage: z.object({ ...counts(), otherModels: otherModels().catch(undefined) }),
  }),
);
