import type * as z from 'zod';
import { ModelError } from '../errors/model-error.ts';
import type { ModelResponse } from '../models/port.ts';
import type { Usage } from '../protocol/chat.ts';
import { firstProblem } from '../protocol/message-schema.ts';
import { answerSchema, paidSchema } from '../protocol/model-schema.ts';
import { NO_USAGE } from '../protocol/usage.ts';

/**
 * Reads what a model gave, which is whatever its author made of it. Copied, without members nobody knows, so
 * that the giver's object stays its own. Anything that does not fit is a `ModelError`, never a guess.
 */
export function readModelResponse(value: unknown, modelId: string): ModelResponse {
  const read = readWith(answerSchema(), value);
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
  const read = readWith(paidSchema(), value);
  return 'data' in read ? (read.data as { readonly usage: Usage }).usage : NO_USAGE;
}

/** The model that answered, where an answer says so. Never throws. */
export function readPaidModel(paid: unknown): string | undefined {
  try {
    const model: unknown = Reflect.get(Object(paid), 'model');
    return typeof model === 'string' ? model : undefined;
  } catch {
    // A foreign object may throw when it is looked at, and then says nothing.
    return undefined;
  }
}

/** A foreign object may throw when it is looked at. */
function readWith(
  schema: z.ZodType,
  value: unknown,
): { readonly data: unknown } | { readonly problem: string; readonly cause?: unknown } {
  try {
    const read = schema.safeParse(value);
    return read.success ? { data: read.data } : { problem: firstProblem(read.error) };
  } catch (cause) {
    return { problem: 'it cannot be read', cause };
  }
}
