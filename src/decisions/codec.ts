import * as z from 'zod';
import { deepFreeze } from '../internal/deep-freeze.ts';
import type { ChatRequest } from '../protocol/chat.ts';
import {
  filePart,
  firstProblem,
  jsonObjectSchema,
  jsonValueSchema,
} from '../protocol/message-schema.ts';
import { passageSchema } from '../protocol/passage-schema.ts';
import { ErrorDecision } from './error-decision.ts';
import { QueryDecision, ResultsDecision } from './knowledge-decision.ts';
import { MessageDecision } from './message-decision.ts';
import { RequestDecision } from './request-decision.ts';
import { ResponseDecision } from './response-decision.ts';
import { ToolDecision } from './tool-decision.ts';
import { ToolResultDecision } from './tool-result-decision.ts';
import { TurnDecision } from './turn-decision.ts';
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
const block = z.strictObject({ type: z.literal('block'), reason });
const retry = z.strictObject({
  type: z.literal('retry-with-feedback'),
  feedback: text().min(1, 'needs feedback'),
});
const modifyText = z.strictObject({ type: z.literal('modify'), text: text() });
const rewrittenCall = z.strictObject({
  callId: z.string().optional(),
  toolName: z.string().min(1),
  input: jsonValueSchema,
});

export const turnDecisionCodec: DecisionCodec<TurnDecision> = codec('TurnDecision', [
  TurnDecision.proceed(),
  block,
]);

export const messageDecisionCodec: DecisionCodec<MessageDecision> = codec('MessageDecision', [
  MessageDecision.proceed(),
  modifyText,
  block,
]);

/** Checks the envelope only: messages are checked against those they replace, by the chain. */
export const requestDecisionCodec: DecisionCodec<RequestDecision> = codec('RequestDecision', [
  RequestDecision.proceed(),
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

export const windowDecisionCodec: DecisionCodec<WindowDecision> = codec<WindowDecision>(
  'WindowDecision',
  [z.strictObject({ type: z.literal('release'), chars: z.int().min(0) }), block],
);

export const responseDecisionCodec: DecisionCodec<ResponseDecision> = codec('ResponseDecision', [
  ResponseDecision.accept(),
  z.strictObject({
    type: z.literal('modify'),
    response: z.strictObject({
      text: text().optional(),
      reasoning: text().optional(),
      toolCalls: z.array(rewrittenCall).optional(),
    }),
  }),
  block,
  retry,
]);

export const toolDecisionCodec: DecisionCodec<ToolDecision> = codec('ToolDecision', [
  ToolDecision.allow(),
  z.strictObject({ type: z.literal('modify'), input: jsonObjectSchema }),
  block,
  z
    .strictObject({
      type: z.literal('requires-confirmation'),
      prompt: text().min(1, 'needs a prompt'),
      expiresInMs: z.number().positive().optional(),
      approvers: z.array(z.string().min(1)).min(1).optional(),
      quorum: z.int().min(1).max(20).optional(),
    })
    .refine(
      ({ approvers, quorum = 1 }) => approvers === undefined || new Set(approvers).size >= quorum,
      { path: ['quorum'], error: 'asks for more people than `approvers` names' },
    ),
  retry,
  ToolDecision.abstain(),
]);

export const toolResultDecisionCodec: DecisionCodec<ToolResultDecision> = codec(
  'ToolResultDecision',
  [
    ToolResultDecision.keep(),
    z.strictObject({
      type: z.literal('modify'),
      result: z.strictObject({
        output: jsonValueSchema.optional(),
        isError: z.boolean().optional(),
        files: z.array(filePart).optional(),
      }),
    }),
  ],
);

export const queryDecisionCodec: DecisionCodec<QueryDecision> = codec('QueryDecision', [
  QueryDecision.proceed(),
  z.strictObject({ type: z.literal('modify'), query: text() }),
]);

export const resultsDecisionCodec: DecisionCodec<ResultsDecision> = codec('ResultsDecision', [
  ResultsDecision.keep(),
  z.strictObject({ type: z.literal('modify'), passages: z.array(passageSchema) }),
]);

export const errorDecisionCodec: DecisionCodec<ErrorDecision> = codec('ErrorDecision', [
  ErrorDecision.recover(),
  ErrorDecision.abort(),
  z.strictObject({ type: z.literal('fallback'), text: text().min(1) }),
  ErrorDecision.silent(),
]);

type MoveSchema = z.ZodObject<{ type: z.ZodLiteral<string> } & z.ZodRawShape>;

/** A move without data is given as the constant its companion answers with, any other as its schema. */
function codec<Decision extends { readonly type: string }>(
  name: string,
  moves: readonly (Decision | MoveSchema)[],
): DecisionCodec<Decision> {
  const constants = moves
    .filter((move): move is Decision => !(move instanceof z.ZodObject))
    .map((decision) => Object.freeze({ decision }));
  const schemas = new Map(moves.map(schemaOf));
  const types = [...schemas.keys()];
  return {
    name,
    types,
    read(value) {
      // Most answers by far are such a constant itself, frozen and ours: there is nothing to read in it.
      for (const constant of constants) if (constant.decision === value) return constant;
      if (!isPlainObject(value)) return { problem: `is ${describe(value)}, not a ${name}` };
      const type: unknown = 'type' in value ? value.type : undefined;
      // As a literal it needs no schema, only no other key. The constant is handed on in its place, so a getter
      // cannot say one thing here and another to those who act on it.
      const same = constants.find(({ decision }) => decision.type === type);
      if (same !== undefined && Reflect.ownKeys(value).length === 1) return same;
      const schema = typeof type === 'string' ? schemas.get(type) : undefined;
      if (schema === undefined)
        return { problem: `has type ${describeType(type)}; a ${name} has ${types.join(', ')}` };
      const result = schema.safeParse(value);
      if (!result.success) return { problem: `does not fit: ${firstProblem(result.error)}` };
      return { decision: keepRequest(value, result.data) as Decision };
    },
  };
}

function schemaOf(move: { readonly type: string } | MoveSchema): [type: string, MoveSchema] {
  if (move instanceof z.ZodObject) return [move.shape.type.value, move];
  return [move.type, z.strictObject({ type: z.literal(move.type) })];
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
