import { failureOutput, refusalOutput } from '../errors/tool-failure.ts';
import type { EventBody, FallbackCause } from '../events/event.ts';
import { deepFreeze } from '../internal/deep-freeze.ts';
import type { Writable } from '../internal/writable.ts';
import type { Approval } from '../protocol/approval.ts';
import type {
  AssistantMessage,
  AssistantPart,
  ToolCallPart,
  ToolMessage,
  ToolResultPart,
} from '../protocol/message.ts';
import { joinText } from '../protocol/read-content.ts';
import type { ToolResult } from '../protocol/tool.ts';
import type { Outcome } from './outcome.ts';
import type { Rules } from './rules.ts';
import type {
  Batch,
  BatchCall,
  FinishedCall,
  NextTurn,
  OpenTurn,
  Refusal,
  ThreadState,
} from './state.ts';
import { closingEvents, commitThen, finish, type Transition, type Writes } from './transition.ts';

/**
 * The assistant message of a response: the inputs that really run, and the text that was judged; without a text
 * when `text` is undefined. What was taken out of the text does not stay in the thoughts beside it, nor in what
 * a provider keeps with them, unless calls remain that the provider wants its thoughts back for.
 */
export function assistantMessage(
  content: readonly AssistantPart[],
  calls: readonly BatchCall[],
  text?: string,
): AssistantMessage {
  const isRewritten = joinText(content) !== (text ?? '');
  if (!isRewritten && areKept(content, calls))
    return Object.freeze({ role: 'assistant', content: deepFreeze(content) });
  const parts: AssistantPart[] = [];
  let spoken = text === '' ? undefined : text;
  for (const part of content) {
    if (part.type === 'tool-call') {
      parts.push(part.malformed === undefined ? withInput(part, calls) : part);
    } else if (part.type === 'text') {
      if (spoken !== undefined) parts.push(isRewritten ? { type: 'text', text: spoken } : part);
      if (isRewritten) spoken = undefined;
    } else if (part.type === 'file' || !isRewritten) {
      parts.push(part);
    } else if (calls.length > 0 && part.providerMetadata !== undefined) {
      parts.push(part);
    }
  }
  // The parts of a response are frozen already; it is what was put in their place that is not.
  return Object.freeze({ role: 'assistant', content: deepFreeze(parts) });
}

/** By index, as an iterator of a frozen list is none that V8 leaves out. */
function areKept(content: readonly AssistantPart[], calls: readonly BatchCall[]): boolean {
  for (let index = 0; index < content.length; index += 1)
    if (!isKept(content[index] as AssistantPart, calls)) return false; // below the length
  return true;
}

/** Whether a part of a text that nobody rewrote stays as it is. */
function isKept(part: AssistantPart, calls: readonly BatchCall[]): boolean {
  if (part.type === 'tool-call')
    return part.malformed !== undefined || withInput(part, calls) === part;
  return part.type !== 'text' || part.text !== '';
}

function withInput(part: ToolCallPart, calls: readonly BatchCall[]): ToolCallPart {
  const call = calls.find(({ callId }) => callId === part.callId);
  return call === undefined || call.effectiveInput === part.input
    ? part
    : { ...part, input: call.effectiveInput };
}

/** One result for every call, in the order of the batch (L4). */
export function toolMessage(
  calls: readonly BatchCall[],
  finished: readonly FinishedCall[],
): ToolMessage {
  const find = finishedCalls(finished);
  return Object.freeze({
    role: 'tool',
    content: Object.freeze(
      calls.map((call): ToolResultPart => {
        const { callId, providerCallId, toolName } = call;
        const ended = find(call);
        const { outcome, isError, output, files } =
          ended?.shown ?? ended?.result ?? refusalResult(call.refusal ?? NOT_EXECUTED);
        const part: Writable<ToolResultPart> = {
          type: 'tool-result',
          callId,
          providerCallId,
          toolName,
          outcome,
          isError,
          output: deepFreeze(output),
        };
        if (files !== undefined) part.files = deepFreeze(files);
        return Object.freeze(part);
      }),
    ),
  });
}

/** What became of a call, if it ran. Asked for in the order of the calls, so it is mostly the next one. */
export function finishedCalls(
  finished: readonly FinishedCall[],
): (call: BatchCall) => FinishedCall | undefined {
  let next = 0;
  return ({ callId, refusal }) => {
    if (refusal !== undefined) return undefined;
    const found =
      finished[next]?.callId === callId ? next : finished.findIndex((one) => one.callId === callId);
    if (found !== -1) next = found + 1;
    return finished[found];
  };
}

const NOT_EXECUTED: Refusal = Object.freeze({
  outcome: 'not-executed',
  by: 'agent',
  reason: 'the turn ended before it',
});

/** What the tool itself would say of a call is told as the tool tells it; the rest is the engine's or a policy's. */
export function refusalResult(refusal: Refusal): ToolResult {
  const { outcome, reason, refused, missing, output } = refusal;
  if (output !== undefined) return { outcome, isError: true, output };
  if (refused === true) return { outcome, isError: true, output: refusalOutput(reason, missing) };
  const said = `${PREFIX[outcome] ?? 'Not executed'}: ${reason}`;
  const isOfTool = outcome === 'invalid' || outcome === 'unknown-tool';
  return { outcome, isError: true, output: isOfTool ? failureOutput(said) : said };
}

const PREFIX: { readonly [outcome in Refusal['outcome']]?: string } = {
  blocked: 'Blocked',
  denied: 'Not approved',
  invalid: 'Invalid arguments',
  'unknown-tool': 'Unknown tool',
  cancelled: 'Cancelled by user',
};

export function refusedEvent(call: BatchCall, refusal: Refusal): EventBody {
  const { callId, toolName } = call;
  return {
    type: 'tool.refused',
    callId,
    toolName,
    source: 'model',
    outcome: refusal.outcome,
    by: refusal.by,
    reason: refusal.reason,
  };
}

export function calledEvent(call: BatchCall): EventBody {
  return {
    type: 'tool.called',
    callId: call.callId,
    toolName: call.toolName,
    requestedInput: call.requestedInput,
  };
}

/**
 * Answers every call that is not refused yet, so that the batch can enter the history: not approved for one
 * that waits for a person, whose approval is closed, and not executed for the others.
 */
export function refuseOpenCalls(batch: Batch, reason: string): Batch {
  return {
    ...batch,
    calls: batch.calls.map((call): BatchCall => {
      if (call.refusal !== undefined) return call;
      const { approval } = call;
      if (approval?.status !== 'open') return { ...call, refusal: { ...NOT_EXECUTED, reason } };
      const refusal: Refusal = { outcome: 'denied', by: 'agent', reason };
      return { ...call, refusal, approval: { ...approval, status: 'superseded' } };
    }),
  };
}

/** Ends a turn whose batch does not run: its message and one result for every call enter the history (L4). */
export function settleBatch(
  state: ThreadState,
  turn: OpenTurn,
  ending: {
    readonly batch: Batch;
    readonly outcome: Outcome;
    readonly rules: Rules;
    readonly fallback?: FallbackCause;
    readonly next?: NextTurn;
  },
): Transition {
  const { batch, outcome, rules, next } = ending;
  const writes: Writes = {
    messages: [assistantMessage(batch.content, batch.calls), toolMessage(batch.calls, [])],
    approvals: batch.calls.flatMap((call): Approval[] =>
      call.approval === undefined ? [] : [call.approval],
    ),
  };
  const events = batch.calls.flatMap((call) => [
    calledEvent(call),
    refusedEvent(call, call.refusal ?? NOT_EXECUTED),
  ]);
  if (next === undefined) {
    return finish(state, turn, {
      ...writes,
      outcome,
      events,
      rules,
      ...(ending.fallback !== undefined && { fallback: ending.fallback }),
    });
  }
  const ended = { name: 'finished', turn, outcome } as const;
  return commitThen(
    state,
    { name: 'waiting', turn, next },
    {
      ...writes,
      turn,
      events: [...events, ...closingEvents(turn, outcome, false)],
      checkpoint: ended,
    },
  );
}
