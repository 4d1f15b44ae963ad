import type { AgentHooksError } from '../errors/base.ts';
import { RecordedError } from '../errors/interrupted.ts';
import type { Writable } from '../internal/writable.ts';
import type { Approval } from '../protocol/approval.ts';
import type { Usage } from '../protocol/chat.ts';
import type { Message } from '../protocol/message.ts';
import type { StateValues } from '../protocol/state-values.ts';
import type { HostCall } from '../protocol/tool.ts';
import { NO_USAGE } from '../protocol/usage.ts';
import { hostCallsOf } from './host-calls.ts';
import type { LimitName } from './outcome.ts';
import type { Session } from './session.ts';
import { costOfTurn } from './spend.ts';
import { type Batch, type OpenTurn, turnOf } from './state.ts';

/**
 * How a run ended. Never thrown: a `switch` on `status` covers everything that can happen. `Output` is what the schema
 * that the run was given makes of the answer; without one a completed turn has no `output`.
 */
export type RunResult<Output = never> = RunFactsOfTurn & RunEnding<Output>;

/** What every result tells of its turn. */
interface RunFactsOfTurn {
  readonly threadId: string;
  readonly turnId: string;
  /**
   * Steps of the turn that have begun: one model call and its tools each. Those whose response was rejected count, and so
   * does one that ended before its call, such as by a policy at `preLlmRequest`. Those of subagents do not.
   */
  readonly steps: number;
  /** Tokens of every call of the turn, rejected ones included. */
  readonly usage: Usage;
  /** What the calls cost by the agent's `prices`; absent without them, and when a call of the turn has none. */
  readonly cost?: number;
  /**
   * The thread's state as it is stored, defaults included; absent for an agent without a `stateSchema`, and where
   * nothing could be loaded.
   */
  readonly state?: StateValues;
  /** What the turn added to the history. Nothing that was blocked or rejected is in it. */
  readonly messages: readonly Message[];
}

type RunEnding<Output> =
  /** The model answered. `finishReason` is `length` for an answer that was cut off. */
  | ({
      readonly status: 'completed';
      /** What the user was shown. With an output schema, the answer as JSON. */
      readonly text: string;
      readonly finishReason: string;
    } & ([Output] extends [never]
      ? unknown
      : {
          /** What the schema made of the text. */
          readonly output: Output;
        }))
  /** One step is done and the turn goes on. Only `runStep` gives this. */
  | { readonly status: 'continues' }
  /** The turn waits for a person; answer with `resume`. */
  | { readonly status: 'awaiting-approval'; readonly approvals: readonly Approval[] }
  /** Tools that the host runs itself; answer with `submitToolResults`. */
  | { readonly status: 'awaiting-tools'; readonly calls: readonly HostCall[] }
  /** A policy said no. `text` is the fallback the user was shown. */
  | {
      readonly status: 'blocked';
      readonly by: string;
      readonly point: string;
      readonly reason: string;
      readonly text: string;
    }
  | {
      readonly status: 'limited';
      readonly limit: LimitName;
      /** Its name, where the limit is a budget. */
      readonly budget?: string;
      readonly text: string;
    }
  /** The provider refused to answer. */
  | { readonly status: 'refused'; readonly text: string }
  | { readonly status: 'cancelled' }
  /**
   * Something broke: a policy (`HookError`), the model, the store, or the retry cap. `text` is what the user was shown in the
   * place of an answer: empty where the store failed, and after `ErrorDecision.silent()`.
   */
  | { readonly status: 'failed'; readonly error: AgentHooksError; readonly text: string };

/** Reads the result off the state a run stopped in. */
export function resultOf(session: Session): RunResult {
  const { phase } = session.state;
  return { ...turnFacts(session, turnOf(phase)), ...endingOf(session) };
}

/** The result of a run whose store or state failed it: what was committed before stays. */
export function failedResult(session: Session, error: AgentHooksError): RunResult {
  return { ...turnFacts(session, turnOf(session.state.phase)), status: 'failed', error, text: '' };
}

/** The result of a run that claimed, asked and stored nothing. `text` is what the user is shown. */
export function neverStarted(threadId: string, error: AgentHooksError, text = ''): RunResult {
  const facts = { threadId, turnId: '', steps: 0, usage: NO_USAGE, messages: [] };
  return { ...facts, status: 'failed', error, text };
}

/** The result of a run that was given up while it waited for its thread: nothing was claimed, asked or stored. */
export function notBegun(threadId: string): RunResult {
  const facts = { threadId, turnId: '', steps: 0, usage: NO_USAGE, messages: [] };
  return { ...facts, status: 'cancelled' };
}

function turnFacts(session: Session, turn: OpenTurn | undefined): RunFactsOfTurn {
  const facts: Writable<RunFactsOfTurn> = {
    threadId: session.threadId,
    turnId: turn?.turnId ?? '',
    steps: turn?.step ?? 0,
    usage: Object.freeze(turn?.usage ?? NO_USAGE),
    messages: turn === undefined ? [] : session.history.after(turn.firstMessage),
  };
  const { cost } = costOfTurn(turn);
  if (cost !== undefined) facts.cost = cost;
  if (session.values !== undefined) facts.state = session.values.stored;
  return facts;
}

function endingOf(session: Session): RunEnding<never> {
  const { phase } = session.state;
  if (phase.name === 'awaiting-approval')
    return { status: 'awaiting-approval', approvals: openApprovals(phase.batch) };
  if (phase.name === 'awaiting-child')
    return { status: 'awaiting-approval', approvals: session.awaited };
  if (phase.name === 'awaiting-tools')
    return { status: 'awaiting-tools', calls: hostCallsOf(session, phase) };
  if (phase.name !== 'finished') return { status: 'continues' };
  const { outcome } = phase;
  if (outcome.status === 'completed') return { ...outcome, ...outputOfAnswer(session) };
  if (outcome.status !== 'failed') return outcome;
  const live = session.error;
  // The live error has the cause; after a restart only what was stored is left.
  const error = live?.code === outcome.error.code ? live : new RecordedError(outcome.error);
  return { status: 'failed', error, text: outcome.text };
}

/** Known in the run that ended the turn; the store has the text. */
function outputOfAnswer({ answer }: Session): { readonly output?: unknown } {
  return answer === undefined ? {} : { output: answer.value };
}

export function openApprovals(batch: Batch): readonly Approval[] {
  return batch.calls.flatMap((call) =>
    call.refusal === undefined && call.approval?.status === 'open' ? [call.approval] : [],
  );
}
