import type { DecisionCodec } from '../decisions/codec.ts';
import {
  messageDecisionCodec,
  queryDecisionCodec,
  requestDecisionCodec,
  responseDecisionCodec,
  resultsDecisionCodec,
  toolDecisionCodec,
  toolResultDecisionCodec,
  turnDecisionCodec,
  windowDecisionCodec,
} from '../decisions/codec.ts';
import type { AgentHooks, HookPoint } from './agent-hooks.ts';
import { errorAnswerCodec } from './error-answer.ts';

/** One row of the points table. */
export interface PointRow {
  /** Milliseconds a policy has, in the default profile and for voice. */
  readonly timeoutMs: number;
  readonly voiceTimeoutMs: number;
  readonly failure: 'closed' | 'open';
  /** How an answer is read; absent where a point answers with no decision. */
  readonly codec?: DecisionCodec<{ readonly type: string }>;
  /** True when the loop asks this point. A policy that implements another is refused, never ignored. */
  readonly enforced: boolean;
  /** True for points whose verdict could take back what a live stream has shown. */
  readonly holdsStream: boolean;
}

const DECIDES = { timeoutMs: 5_000, voiceTimeoutMs: 500 };
const WRAPS = { timeoutMs: 30_000, voiceTimeoutMs: 30_000 };
const WATCHES = { timeoutMs: 100, voiceTimeoutMs: 100 };

/**
 * Every point, once: names, limits, failure defaults and codecs all derive from this table, which follows the
 * points of the Rust trait, of Mantle and of Unmute in the order a turn meets them.
 */
export const POINTS: { readonly [Point in HookPoint]: PointRow } = Object.freeze({
  onTurnStart: {
    ...DECIDES,
    failure: 'closed',
    codec: turnDecisionCodec,
    enforced: true,
    holdsStream: false,
  },
  onUserMessage: {
    ...DECIDES,
    failure: 'closed',
    codec: messageDecisionCodec,
    enforced: true,
    holdsStream: false,
  },
  systemPrompt: { ...DECIDES, failure: 'closed', enforced: true, holdsStream: false },
  preLlmRequest: {
    ...DECIDES,
    failure: 'closed',
    codec: requestDecisionCodec,
    enforced: true,
    holdsStream: false,
  },
  wrapLlmCall: { ...WRAPS, failure: 'closed', enforced: true, holdsStream: true },
  onTextWindow: {
    ...DECIDES,
    failure: 'closed',
    codec: windowDecisionCodec,
    enforced: true,
    holdsStream: true,
  },
  onLlmResponse: {
    ...DECIDES,
    failure: 'closed',
    codec: responseDecisionCodec,
    enforced: true,
    holdsStream: true,
  },
  preToolUse: {
    ...DECIDES,
    failure: 'closed',
    codec: toolDecisionCodec,
    enforced: true,
    holdsStream: true,
  },
  wrapToolUse: { ...WRAPS, failure: 'closed', enforced: true, holdsStream: false },
  postToolUse: {
    ...DECIDES,
    failure: 'open',
    codec: toolResultDecisionCodec,
    enforced: true,
    holdsStream: false,
  },
  onKnowledgeQuery: {
    ...DECIDES,
    failure: 'closed',
    codec: queryDecisionCodec,
    enforced: true,
    holdsStream: false,
  },
  onKnowledgeResults: {
    ...DECIDES,
    failure: 'open',
    codec: resultsDecisionCodec,
    enforced: true,
    holdsStream: false,
  },
  onOutgoingMessage: {
    ...DECIDES,
    failure: 'open',
    codec: messageDecisionCodec,
    enforced: true,
    holdsStream: true,
  },
  onError: {
    ...DECIDES,
    failure: 'closed',
    codec: errorAnswerCodec,
    enforced: true,
    holdsStream: false,
  },
  onContextCompact: {
    timeoutMs: 60_000,
    voiceTimeoutMs: 60_000,
    failure: 'open',
    enforced: true,
    holdsStream: false,
  },
  onEvent: { ...WATCHES, failure: 'open', enforced: true, holdsStream: false },
});

export const HOOK_POINTS: readonly HookPoint[] = Object.keys(POINTS) as HookPoint[];

/** True for a name the engine calls. Names come from objects, so `constructor` must not count. */
export function isHookPoint(name: string): name is HookPoint {
  return Object.hasOwn(POINTS, name);
}

/** The points an object implements, inherited methods included. */
export function implementedPoints(hooks: AgentHooks<never>): readonly HookPoint[] {
  return HOOK_POINTS.filter((point) => typeof hooks[point] === 'function');
}
