import * as z from 'zod';
import { ModelError } from '../errors/model-error.ts';
import type { ModelResponse } from '../models/port.ts';
import type { FinishReason, Usage } from '../protocol/chat.ts';
import { firstProblem, jsonObjectSchema, textSchema } from '../protocol/message-schema.ts';
import { NO_USAGE } from '../protocol/usage.ts';

const metadata = { providerMetadata: jsonObjectSchema.optional() };
// Whole numbers a sum of which JSON can still hold.
const tokens = z.int().nonnegative();
const usageSchema = z.object({
  inputTokens: tokens,
  outputTokens: tokens,
  cachedInputTokens: tokens.optional(),
  reasoningTokens: tokens.optional(),
});
// Half characters are taken out where the answer is put together: a rule for each text would cost more than the rest.
const text = z.string();
const call = z.object({
  id: text,
  toolName: text.min(1),
  inputText: text,
  ...metadata,
});
const part = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text, ...metadata }),
  z.object({ type: z.literal('reasoning'), text, ...metadata }),
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
  z.object({ type: z.literal('tool-call'), call }),
]);
const responseSchema = z.object({
  id: textSchema.optional(),
  model: textSchema.optional(),
  content: z.array(part),
  finishReason: z.enum([
    'stop',
    'tool-calls',
    'length',
    'content-filter',
    'error',
    'other',
  ] satisfies FinishReason[]),
  usage: usageSchema,
});
const paidSchema = z.object({ usage: usageSchema });

/**
 * Reads what a model gave, which is whatever its author made of it. Copied, without members nobody knows, so
 * that the giver's object stays its own. Anything that does not fit is a `ModelError`, never a guess.
 */
export function readModelResponse(value: unknown, modelId: string): ModelResponse {
  const read = readWith(responseSchema, value);
  if ('data' in read) return read.data as ModelResponse; // The schema is the port's; only an explicit `undefined` could differ, and means absent.
  const { problem, ...cause } = read;
  throw new ModelError(
    'invalid-response',
    {
      where: `model '${modelId}'`,
      what: `its answer is not a ModelResponse: ${problem}`,
      fix: 'Nothing of the answer was stored; correct the ChatModel that gave it',
    },
    cause,
  );
}

/** What an answer cost, also one that is otherwise unreadable; nothing where it does not say so. Never throws. */
export function readPaidUsage(value: unknown): Usage {
  const read = readWith(paidSchema, value);
  return 'data' in read ? (read.data.usage as Usage) : NO_USAGE;
}

/** A foreign object may throw when it is looked at. */
function readWith<Data>(
  schema: z.ZodType<Data>,
  value: unknown,
): { readonly data: Data } | { readonly problem: string; readonly cause?: unknown } {
  try {
    const read = schema.safeParse(value);
    return read.success ? { data: read.data } : { problem: firstProblem(read.error) };
  } catch (cause) {
    return { problem: 'it cannot be read', cause };
  }
}
