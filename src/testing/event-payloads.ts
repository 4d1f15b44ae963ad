import type { EventBody, EventOf, EventStamp, EventType } from '../events/event.ts';
import { deepFreeze } from '../internal/deep-freeze.ts';
import { TURN_ID } from './text-payloads.ts';

type BodyOf<Type extends EventType> = Omit<Extract<EventBody, { readonly type: Type }>, 'type'>;

const CALL = { callId: `${TURN_ID}.1.0`, toolName: 'refund' };
const RUN = { ...CALL, source: 'model' } as const;
const USAGE = { inputTokens: 10, outputTokens: 20 };

/** What each event tells unless a test says otherwise. */
const DEFAULTS: { readonly [Type in EventType]: BodyOf<Type> } = {
  'turn.started': { isFirst: true },
  'turn.finished': { status: 'completed', steps: 1, usage: USAGE },
  'step.started': {},
  'step.finished': { outcome: 'accepted' },
  'message.user': { text: 'Hello' },
  'message.outgoing': { text: 'Hello', isFinal: true },
  'llm.requested': { model: 'scripted', purpose: 'main', attempt: 1 },
  'llm.delta': { kind: 'text', text: 'Hello' },
  'llm.responded': {
    responseId: 'msg_1',
    model: 'scripted',
    finishReason: 'stop',
    toolCalls: 0,
    usage: USAGE,
    latencyMs: 1,
  },
  'llm.rejected': { by: 'policy', point: 'onLlmResponse', streak: 1, usage: USAGE },
  'llm.retrying': { reason: 'overloaded', attempt: 2, delayMs: 100 },
  'text.retracted': { by: 'policy', point: 'onLlmResponse' },
  'tool.called': { ...CALL, requestedInput: {} },
  'tool.started': RUN,
  'tool.progress': { ...CALL, data: null },
  'tool.succeeded': { ...RUN, durationMs: 1 },
  'tool.failed': { ...RUN, durationMs: 1, outcome: 'failed' },
  'tool.refused': { ...RUN, outcome: 'blocked', by: 'policy', reason: 'not allowed' },
  'tool.replied': RUN,
  'tool.save-refused': { ...RUN, field: 'field', reason: 'does not fit' },
  'approval.requested': { ...CALL, approvalId: 'approval-1', prompts: ['Run it?'] },
  'approval.answered': {
    approvalId: 'approval-1',
    callId: CALL.callId,
    approved: true,
    by: 'approver',
    edited: false,
  },
  'approval.expired': { approvalId: 'approval-1', callId: CALL.callId },
  'knowledge.queried': { callId: CALL.callId, query: 'bags' },
  'knowledge.found': { callId: CALL.callId, passages: 1 },
  'hook.decided': { policy: 'policy', point: 'preToolUse', decision: 'allow', durationMs: 1 },
  'hook.failed': { policy: 'policy', point: 'preToolUse', kind: 'threw', open: false },
  'context.compacted': { messagesBefore: 20, messagesAfter: 5, cause: 'budget' },
  'state.changed': { fields: [] },
  'line.said': { ...CALL, kind: 'announce', text: 'One moment.' },
  'error.raised': { code: 'model-failed', name: 'ModelError' },
  'thread.ended': { reason: 'done' },
};

/**
 * An event as `onEvent` and observers hear it: of the first step of `this-turn` on thread `thread`, at 0, with number
 * 1. Everything else has a default too.
 *
 * @example
 * policy.onEvent(agentEvent('tool.failed', { toolName: 'pay' }), hookContext());
 */
export function agentEvent<Type extends EventType>(
  type: Type,
  overrides: Partial<BodyOf<Type> & EventStamp> = {},
): EventOf<Type> {
  const stamp: EventStamp = { threadId: 'thread', turnId: TURN_ID, step: 1, at: 0, seq: 1 };
  // The row of the table and what is put over it are of this type: the compiler cannot tell for one not known yet.
  const event = { ...stamp, type, ...DEFAULTS[type], ...overrides } as unknown as EventOf<Type>;
  return deepFreeze(event);
}
