import * as z from 'zod';
import { EVENT_TYPES } from '../../events/pattern.ts';
import type { ApprovalStatus } from '../../protocol/approval.ts';
import { filePart, outcomeSchema } from '../../protocol/message-schema.ts';
import { isKey } from '../../stores/key.ts';

/*
 * What the records of an import have to be for a store and the loop to take them. Values are looked at and never copied:
 * what is stored is what was on the line.
 */

const key = z.string().refine(isKey, 'is no text that a store can keep');
const text = z.string();
const count = z.int().nonnegative();
const time = z.number();
const json = z.unknown().refine((value) => value !== undefined, 'is missing');
const object = z.custom<object>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'is no object',
);

export const headerSchema: z.ZodType<{ readonly threadId: string }> = z.strictObject({
  format: text,
  version: count,
  threadId: key.min(1),
});

export const eventSchema: z.ZodType<{ readonly seq: number; readonly threadId: string }> =
  z.looseObject({
    type: z.enum(EVENT_TYPES),
    threadId: key,
    turnId: text,
    step: count,
    at: time,
    seq: z.int().positive(),
  });

const resultSchema = z.strictObject({
  outcome: outcomeSchema,
  isError: z.boolean(),
  output: json,
  prechecked: z.literal(true).optional(),
  files: z.array(filePart).optional(),
});

export const ledgerSchema: z.ZodType<{ readonly callId: string }> = z
  .strictObject({
    callId: key,
    inputDigest: key,
    status: z.enum(['intended', 'finished']),
    result: resultSchema.optional(),
    late: z.literal(true).optional(),
    at: time,
  })
  .refine(
    ({ status, result }) => (status === 'finished') === (result !== undefined),
    'has a result that does not go with its status',
  );

const answerSchema = z.strictObject({
  approvalId: key,
  approved: z.boolean(),
  by: text,
  reason: text.optional(),
  input: object.optional(),
  at: time,
});

export const approvalSchema: z.ZodType<{ readonly approvalId: string; readonly threadId: string }> =
  z.strictObject({
    approvalId: key,
    threadId: key,
    topThreadId: key.optional(),
    agent: text.optional(),
    agentPath: z.array(text).optional(),
    turnId: text,
    callId: text,
    toolName: text,
    displayName: text,
    input: object,
    inputDigest: text,
    requirements: z.array(
      z.strictObject({
        policy: text,
        version: text.optional(),
        prompt: text,
        approvers: z.array(text).optional(),
      }),
    ),
    requestedAt: time,
    expiresAt: time.optional(),
    status: z.enum([
      'open',
      'approved',
      'denied',
      'expired',
      'superseded',
    ] satisfies ApprovalStatus[]),
    prepared: object.optional(),
    answer: answerSchema.optional(),
  });

export const artifactSchema: z.ZodType<{ readonly artifactId: string }> = z.strictObject({
  artifactId: key,
  toolName: text,
  mediaType: z.enum(['text/plain', 'application/json']),
  text,
});

export const memorySchema: z.ZodType<{ readonly policy: string; readonly value: object }> =
  z.strictObject({ policy: key, value: object });

/** The members that every state has. The rest is read by the loop, under the format that it names. */
export const stateSchema: z.ZodType<{ readonly threadId: string }> = z.looseObject({
  format: count,
  threadId: key,
  agent: text,
  digestKey: text.min(1),
  turn: count,
  streak: z.looseObject({ count }),
  totals: z.looseObject({ steps: count }),
  phase: z.looseObject({ name: text, turn: z.looseObject({ turnId: text, step: count }) }),
});
