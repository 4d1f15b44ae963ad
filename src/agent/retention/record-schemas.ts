import * as z from 'zod';
import { EVENT_TYPES } from '../../events/pattern.ts';
import { builtWhenUsed } from '../../internal/built-when-used.ts';
import type {
  Approval,
  ApprovalRequirement,
  ApprovalStatus,
  ApprovalVote,
} from '../../protocol/approval.ts';
import type { Artifact } from '../../protocol/artifact.ts';
import { filePart, outcomeSchema } from '../../protocol/message-schema.ts';
import type { ToolResult } from '../../protocol/tool.ts';
import { isKey } from '../../stores/key.ts';
import type { LedgerEntry } from '../../stores/port.ts';

/*
 * What the records of an import have to be for a store and the loop to take them. Values are looked at and never copied:
 * what is stored is what was on the line. Each strict schema is held against the members of its type, as one that did not
 * know a member would refuse the backup of whoever uses it.
 */

/** A schema for every member that a record may have. */
type MembersOf<Record> = { readonly [member in keyof Required<Record>]: z.ZodType };

const key = builtWhenUsed(() => z.string().refine(isKey, 'is no text that a store can keep'));
const text = builtWhenUsed(() => z.string());
const count = builtWhenUsed(() => z.int().nonnegative());
const time = builtWhenUsed(() => z.number());
const json = builtWhenUsed(() => z.unknown().refine((value) => value !== undefined, 'is missing'));
const object = builtWhenUsed(() =>
  z.custom<object>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'is no object',
  ),
);

export const headerSchema: () => z.ZodType<{ readonly threadId: string }> = builtWhenUsed(() =>
  z.strictObject({
    format: text(),
    version: count(),
    threadId: key().min(1),
  }),
);

export const eventSchema: () => z.ZodType<{ readonly seq: number; readonly threadId: string }> =
  builtWhenUsed(() =>
    z.looseObject({
      type: z.enum(EVENT_TYPES),
      threadId: key(),
      turnId: text(),
      step: count(),
      at: time(),
      seq: z.int().positive(),
    }),
  );

const resultSchema = builtWhenUsed(() =>
  z.strictObject({
    outcome: outcomeSchema(),
    isError: z.boolean(),
    output: json(),
    prechecked: z.literal(true).optional(),
    files: z.array(filePart()).optional(),
  } satisfies MembersOf<ToolResult>),
);

export const ledgerSchema: () => z.ZodType<{ readonly callId: string }> = builtWhenUsed(() =>
  z
    .strictObject({
      callId: key(),
      inputDigest: key(),
      status: z.enum(['intended', 'finished']),
      result: resultSchema().optional(),
      late: z.literal(true).optional(),
      at: time(),
    } satisfies MembersOf<LedgerEntry>)
    .refine(
      ({ status, result }) => (status === 'finished') === (result !== undefined),
      'has a result that does not go with its status',
    ),
);

const answerSchema = builtWhenUsed(() =>
  z.strictObject({
    approvalId: key(),
    approved: z.boolean(),
    by: text(),
    reason: text().optional(),
    input: object().optional(),
    at: time(),
  } satisfies MembersOf<NonNullable<Approval['answer']>>),
);

const voteSchema = builtWhenUsed(() =>
  z.strictObject({
    by: text(),
    reason: text().optional(),
    at: time(),
  } satisfies MembersOf<ApprovalVote>),
);

const requirementSchema = builtWhenUsed(() =>
  z.strictObject({
    policy: text(),
    version: text().optional(),
    prompt: text(),
    approvers: z.array(text()).optional(),
    quorum: z.int().positive().optional(),
  } satisfies MembersOf<ApprovalRequirement>),
);

export const approvalSchema: () => z.ZodType<{
  readonly approvalId: string;
  readonly threadId: string;
}> = builtWhenUsed(() =>
  z.strictObject({
    approvalId: key(),
    threadId: key(),
    topThreadId: key().optional(),
    agent: text().optional(),
    agentPath: z.array(text()).optional(),
    turnId: text(),
    callId: text(),
    toolName: text(),
    displayName: text(),
    input: object(),
    inputDigest: text(),
    requirements: z.array(requirementSchema()),
    requestedAt: time(),
    expiresAt: time().optional(),
    status: z.enum([
      'open',
      'approved',
      'denied',
      'expired',
      'superseded',
    ] satisfies ApprovalStatus[]),
    prepared: object().optional(),
    votes: z.array(voteSchema()).optional(),
    answer: answerSchema().optional(),
  } satisfies MembersOf<Approval>),
);

export const artifactSchema: () => z.ZodType<{ readonly artifactId: string }> = builtWhenUsed(() =>
  z.strictObject({
    artifactId: key(),
    toolName: text(),
    mediaType: z.enum(['text/plain', 'application/json']),
    text: text(),
  } satisfies MembersOf<Artifact>),
);

export const memorySchema: () => z.ZodType<{ readonly policy: string; readonly value: object }> =
  builtWhenUsed(() => z.strictObject({ policy: key(), value: object() }));

/** The members that every state has. The rest is read by the loop, under the format that it names. */
export const stateSchema: () => z.ZodType<{ readonly threadId: string }> = builtWhenUsed(() =>
  z.looseObject({
    format: count(),
    threadId: key(),
    agent: text(),
    digestKey: text().min(1),
    turn: count(),
    streak: z.looseObject({ count: count() }),
    totals: z.looseObject({ steps: count() }),
    phase: z.looseObject({ name: text(), turn: z.looseObject({ turnId: text(), step: count() }) }),
  }),
);
