import * as z from 'zod';
import { deepFreeze } from '../internal/deep-freeze.ts';
import type { ChatStreamPart, FinishReason } from './chat.ts';
import { firstProblem, jsonObjectSchema, textSchema } from './message-schema.ts';

const metadata = { providerMetadata: jsonObjectSchema.optional() };
// A piece may end within a character: half characters are taken out where the answer is put together.
const text = z.string();
// Whole numbers a sum of which JSON can still hold.
const tokens = z.int().nonnegative();

const partSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text, ...metadata }),
  z.object({ type: z.literal('reasoning'), text, ...metadata }),
  z.object({ type: z.literal('tool-input'), id: text, toolName: text, text }),
  z.object({
    type: z.literal('tool-call'),
    call: z.object({ id: text, toolName: text.min(1), inputText: text, ...metadata }),
  }),
  z
    .object({
      type: z.literal('file'),
      mediaType: textSchema.min(1),
      data: textSchema.optional(),
      url: textSchema.optional(),
      filename: textSchema.optional(),
    })
    .refine(
      (file) => (file.data === undefined) !== (file.url === undefined),
      'needs exactly one of data and url',
    ),
  z.object({
    type: z.literal('finish'),
    result: z.object({
      id: textSchema.optional(),
      model: textSchema.optional(),
      finishReason: z.enum([
        'stop',
        'tool-calls',
        'length',
        'content-filter',
        'error',
        'other',
      ] satisfies FinishReason[]),
      usage: z.object({
        inputTokens: tokens,
        outputTokens: tokens,
        cachedInputTokens: tokens.optional(),
        reasoningTokens: tokens.optional(),
      }),
    }),
  }),
]);

/** Reads one part of an answer from outside: copied, without members nobody knows, and frozen. Never throws. */
export function readStreamPart(
  value: unknown,
): { readonly part: ChatStreamPart } | { readonly problem: string; readonly cause?: unknown } {
  try {
    const read = partSchema.safeParse(value);
    if (!read.success) return { problem: firstProblem(read.error) };
    return { part: deepFreeze(read.data as ChatStreamPart) }; // An explicit `undefined` means absent, and zod leaves none where there was none.
  } catch (cause) {
    return { problem: 'it cannot be read', cause };
  }
}
