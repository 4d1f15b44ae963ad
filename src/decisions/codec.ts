import * as z from 'zod';
import { builtWhenUsed } from '../internal/built-when-used.ts';
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

/** A move with data. Few are ever made, so the schema of each is built with the first. */
class Move {
  readonly type: string;
  readonly schema: () => z.ZodType<object>;

  constructor(type: string, build: (type: z.ZodLiteral<string>) => z.ZodType<object>) {
    this.type = type;
    this.schema = builtWhenUsed(() => build(z.literal(type)));
  }
}

/** Texts of a policy go where a lone surrogate breaks a store or a provider. */
const text = (): z.ZodString => z.string().overwrite((value) => value.toWellFormed());
const block = new Move('block', (type) =>
  z.strictObject({ type, reason: text().min(1, 'needs a reason') }),
);
const retry = new Move('retry-with-feedback', (type) =>
  z.strictObject({ type, feedback: text().min(1, 'needs feedback') }),
);
const modifyText = new Move('modify', (type) => z.strictObject({ type, text: text() }));
const rewrittenCall = builtWhenUsed(() =>
  z.strictObject({
    callId: z.string().optional(),
    toolName: z.string().min(1),
    input: jsonValueSchema(),
  }),
);

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
  new Move('modify', (type) =>
    z.strictObject({
      type,
      request: z.custom<ChatRequest>(
        (value) =>
          typeof value === 'object' &&
          value !== null &&
          'messages' in value &&
          Array.isArray(value.messages),
        'needs a request with a list of messages',
      ),
    }),
  ),
  block,
]);

export const windowDecisionCodec: DecisionCodec<WindowDecision> = codec<WindowDecision>(
  'WindowDecision',
  [new Move('release', (type) => z.strictObject({ type, chars: z.int().min(0) })), block],
);

export const responseDecisionCodec: DecisionCodec<ResponseDecision> = codec('ResponseDecision', [
  ResponseDecision.accept(),
  new Move('modify', (type) =>
    z.strictObject({
      type,
      response: z.strictObject({
        text: text().optional(),
        reasoning: text().optional(),
        toolCalls: z.array(rewrittenCall()).optional(),
      }),
    }),
  ),
  block,
  retry,
]);

export const toolDecisionCodec: DecisionCodec<ToolDecision> = codec('ToolDecision', [
  ToolDecision.allow(),
  new Move('modify', (type) => z.strictObject({ type, input: jsonObjectSchema() })),
  block,
  new Move('requires-confirmation', (type) =>
    z
      .strictObject({
        type,
        prompt: text().min(1, 'needs a prompt'),
        expiresInMs: z.number().positive().optional(),
        approvers: z.array(z.string().min(1)).min(1).optional(),
        quorum: z.int().min(1).max(20).optional(),
      })
      .refine(
        ({ approvers, quorum = 1 }) => approvers === undefined || new Set(approvers).size >= quorum,
        { path: ['quorum'], error: 'asks for more people than `approvers` names' },
      ),
  ),
  retry,
  ToolDecision.abstain(),
]);

export const toolResultDecisionCodec: DecisionCodec<ToolResultDecision> = codec(
  'ToolResultDecision',
  [
    ToolResultDecision.keep(),
    new Move('modify', (type) =>
      z.strictObject({
        type,
        result: z.strictObject({
          output: jsonValueSchema().optional(),
          isError: z.boolean().optional(),
          files: z.array(filePart()).optional(),
        }),
      }),
    ),
  ],
);

export const queryDecisionCodec: DecisionCodec<QueryDecision> = codec('QueryDecision', [
  QueryDecision.proceed(),
  new Move('modify', (type) => z.strictObject({ type, query: text() })),
]);

export const resultsDecisionCodec: DecisionCodec<ResultsDecision> = codec('ResultsDecision', [
  ResultsDecision.keep(),
  new Move('modify', (type) => z.strictObject({ type, passages: z.array(passageSchema()) })),
]);

export const errorDecisionCodec: DecisionCodec<ErrorDecision> = codec('ErrorDecision', [
  ErrorDecision.recover(),
  ErrorDecision.abort(),
  new Move('fallback', (type) => z.strictObject({ type, text: text().min(1) })),
  ErrorDecision.silent(),
]);

/** A move without data is given as the constant its companion answers with, any other as a `Move`. */
function codec<Decision extends { readonly type: string }>(
  name: string,
  moves: readonly (Decision | Move)[],
): DecisionCodec<Decision> {
  const constants = moves
    .filter((move): move is Decision => !(move instanceof Move))
    .map((decision) => Object.freeze({ decision }));
  const schemas = new Map(moves.map((move) => [move.type, schemaOf(move)]));
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
      const result = schema().safeParse(value);
      if (!result.success) return { problem: `does not fit: ${firstProblem(result.error)}` };
      return { decision: keepRequest(value, result.data) as Decision };
    },
  };
}

/** That of a move without data allows no other key. */
function schemaOf(move: { readonly type: string } | Move): Move['schema'] {
  if (move instanceof Move) return move.schema;
  return new Move(move.type, (type) => z.strictObject({ type })).schema;
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
