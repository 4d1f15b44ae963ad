import * as z from 'zod';
import { ModelError } from '../errors/model-error.ts';
import type { ModelResponse } from '../models/port.ts';
import type { FinishReason, Usage } from '../protocol/chat.ts';
import { firstProblem, jsonObjectSchema } from '../protocol/message-schema.ts';
import { NO_USAGE } from '../protocol/usage.ts';

const metadata = { providerMetadata: jsonObjectSchema.optional() };
const tokens = z.number().nonnegative();
const usageSchema = z.object({
  inputTokens: tokens,
  outputTokens: tokens,
  cachedInputTokens: tokens.optional(),
  reasoningTokens: tokens.optional(),
});
const call = z.object({
  id: z.string(),
  toolName: z.string().min(1),
  inputText: z.string(),
  ...metadata,
});
const part = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string(), ...metadata }),
  z.object({ type: z.literal('reasoning'), text: z.string(), ...metadata }),
  z
    .object({
      type: z.literal('file'),
      mediaType: z.string().min(1),
      data: z.string().optional(),
      url: z.string().optional(),
      filename: z.string().optional(),
    })
    .refine(
      (file) => (file.data === undefined) !== (file.url === undefined),
      'needs exactly one of data and url',
    ),
  z.object({ type: z.literal('tool-call'), call }),
]);
const responseSchema = z.object({
  id: z.string().optional(),
  model: z.string().optional(),
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
  const read = responseSchema.safeParse(value);
  if (read.success) return read.data as ModelResponse; // The schema is the port's; only an explicit `undefined` could differ, and means absent.
  throw new ModelError('invalid-response', {
    where: `model '${modelId}'`,
    what: `its answer is not a ModelResponse: ${firstProblem(read.error)}`,
    fix: 'Nothing of the answer was stored; correct the ChatModel that gave it',
  });
}

/** What an answer cost, also one that is otherwise unreadable; nothing where it does not say so. */
export function readPaidUsage(value: unknown): Usage {
  const read = paidSchema.safeParse(value);
  return read.success ? (read.data.usage as Usage) : NO_USAGE;
}
