import * as z from 'zod';
import { deepFreeze } from '../internal/deep-freeze.ts';
import type { ChatRequest } from '../protocol/chat.ts';
import { firstProblem, jsonObjectSchema, jsonValueSchema } from '../protocol/message-schema.ts';
import type { ErrorDecision } from './error-decision.ts';
import type { QueryDecision, ResultsDecision } from './knowledge-decision.ts';
import type { MessageDecision } from './message-decision.ts';
import type { RequestDecision } from './request-decision.ts';
import type { ResponseDecision } from './response-decision.ts';
import type { ToolDecision } from './tool-decision.ts';
import type { ToolResultDecision } from './tool-result-decision.ts';
import type { TurnDecision } from './turn-decision.ts';
import type { WindowDecision } from './window-decision.ts';

/**
 * Reads decisions of one union from untrusted values: a policy's answer, a webhook's JSON, a stored audit.
 * Anything that is not exactly one legal decision is a problem, and never counts as any decision at all.
 */
export interface DecisionCodec<Decision> {
  readonly name: string;
  /** Every `type` this union knows. */
  readonly types: readonly string[];
  readonly read: (value: unknown) => { readonly decision: Decision } | { readonly problem: string };
}

/** Texts of a policy go where a lone surrogate breaks a store or a provider. */
const text = (): z.ZodString => z.string().overwrite((value) => value.toWellFormed());
const reason = text().min(1, 'needs a reason');
const move = <Type extends string>(type: Type) => z.strictObject({ type: z.literal(type) });
const block = z.strictObject({ type: z.literal('block'), reason });
const retry = z.strictObject({
  type: z.literal('retry-with-feedback'),
  feedback: text().min(1, 'needs feedback'),
});
const modifyText = z.strictObject({ type: z.literal('modify'), text: text() });
const passage = z.strictObject({
  text: z.string(),
  scope: z.string(),
  source: z.string(),
  score: z.number().optional(),
  metadata: jsonObjectSchema.optional(),
});
const rewrittenCall = z.strictObject({
  callId: z.string().optional(),
  toolName: z.string().min(1),
  input: jsonValueSchema,
});

export const turnDecisionCodec: DecisionCodec<TurnDecision> = codec('TurnDecision', [
  move('proceed'),
  block,
]);

export const messageDecisionCodec: DecisionCodec<MessageDecision> = codec('MessageDecision', [
  move('proceed'),
  modifyText,
  block,
]);

/** Checks the envelope only: messages are checked against those they replace, by the chain. */
export const requestDecisionCodec: DecisionCodec<RequestDecision> = codec('RequestDecision', [
  move('proceed'),
  z.strictObject({
    type: z.literal('modify'),
    request: z.custom<ChatRequest>(
      (value) =>
        typeof value === 'object' &&
        value !== null &&
        'messages' in value &&
        Array.isArray(value.messages),
      'needs a request with a list of messages',
    ),
  }),
  block,
]);

export const windowDecisionCodec: DecisionCodec<WindowDecision> = codec('WindowDecision', [
  z.strictObject({ type: z.literal('release'), chars: z.int().min(0) }),
  block,
]);

export const responseDecisionCodec: DecisionCodec<ResponseDecision> = codec('ResponseDecision', [
  move('accept'),
  z.strictObject({
    type: z.literal('modify'),
    response: z.strictObject({
      text: text().optional(),
      toolCalls: z.array(rewrittenCall).optional(),
    }),
  }),
  block,
  retry,
]);

export const toolDecisionCodec: DecisionCodec<ToolDecision> = codec('ToolDecision', [
  move('allow'),
  z.strictObject({ type: z.literal('modify'), input: jsonObjectSchema }),
  block,
  z.strictObject({
    type: z.literal('requires-confirmation'),
    prompt: text().min(1, 'needs a prompt'),
    expiresInMs: z.number().positive().optional(),
    approvers: z.array(z.string().min(1)).min(1).optional(),
  }),
  retry,
  move('abstain'),
]);

export const toolResultDecisionCodec: DecisionCodec<ToolResultDecision> = codec(
  'ToolResultDecision',
  [
    move('keep'),
    z.strictObject({
      type: z.literal('modify'),
      result: z.strictObject({
        output: jsonValueSchema.optional(),
        isError: z.boolean().optional(),
      }),
    }),
  ],
);

export const queryDecisionCodec: DecisionCodec<QueryDecision> = codec('QueryDecision', [
  move('proceed'),
  z.strictObject({ type: z.literal('modify'), query: text() }),
]);

export const resultsDecisionCodec: DecisionCodec<ResultsDecision> = codec('ResultsDecision', [
  move('keep'),
  z.strictObject({ type: z.literal('modify'), passages: z.array(passage) }),
]);

export const errorDecisionCodec: DecisionCodec<ErrorDecision> = codec('ErrorDecision', [
  move('recover'),
  move('abort'),
  z.strictObject({ type: z.literal('fallback'), text: text().min(1) }),
  move('silent'),
]);

type MoveSchema = z.ZodObject<{ type: z.ZodLiteral<string> } & z.ZodRawShape>;

function codec<Decision>(name: string, moves: readonly MoveSchema[]): DecisionCodec<Decision> {
  const byType = new Map(moves.map((schema) => [schema.shape.type.value, schema]));
  const bare = new Map(
    moves
      .filter((schema) => Object.keys(schema.shape).length === 1)
      .map((schema) => schema.shape.type.value)
      .map((type) => [type, Object.freeze({ decision: Object.freeze({ type }) as Decision })]),
  );
  const types = [...byType.keys()];
  return {
    name,
    types,
    read(value) {
      if (!isPlainObject(value)) return { problem: `is ${describe(value)}, not a ${name}` };
      const type: unknown = 'type' in value ? value.type : undefined;
      // The moves without data are most answers by far; they need no schema, only no other key. What is handed
      // on is our own copy, so a getter cannot say one thing here and another to those who act on it.
      const plain = typeof type === 'string' ? bare.get(type) : undefined;
      if (plain !== undefined && Reflect.ownKeys(value).length === 1) return plain;
      const schema = typeof type === 'string' ? byType.get(type) : undefined;
      if (schema === undefined)
        return { problem: `has type ${describeType(type)}; a ${name} has ${types.join(', ')}` };
      const result = schema.safeParse(value);
      if (!result.success) return { problem: firstProblem(result.error) };
      return { decision: keepRequest(value, result.data) as Decision };
    },
  };
}

/** Everything zod returned is a copy and is frozen; a request is passed on as it is, for the chain to compare. */
function keepRequest(value: object, data: object): object {
  return 'request' in value ? Object.freeze(data) : deepFreeze(data);
}

/** A literal, a parsed value or one of a companion; an instance of a class may be anything. */
function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Quotes nothing but what looks like the name of a move: any other text may hold what was judged. */
function describeType(type: unknown): string {
  return typeof type === 'string' && /^[\w-]{1,40}$/.test(type) ? `'${type}'` : describe(type);
}

function describe(value: unknown): string {
  if (typeof value === 'string') return 'a text';
  if (typeof value === 'object' && value !== null)
    return Array.isArray(value) ? 'an array' : 'an object';
  return value === null || value === undefined ? String(value) : `a ${typeof value}`;
}
