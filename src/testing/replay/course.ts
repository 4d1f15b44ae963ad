import type { AgentHooksError } from '../../errors/base.ts';
import type { AgentEvent, EventOf } from '../../events/event.ts';
import type { ToolOutcome } from '../../protocol/message.ts';

/** What one policy said at one place of a conversation. */
export interface ReplayDecision {
  /** The message of the user it belongs to, from 1. */
  readonly turn: number;
  /** The model call of that turn, from 1; 0 before the first. */
  readonly step: number;
  readonly policy: string;
  readonly point: string;
  /** The type of the decision, such as `block`; `failed` where the policy gave none that counts. */
  readonly decision: string;
  /** The reason of a block, the prompt of a confirmation, or how the policy failed. */
  readonly reason?: string;
  /** Which call of the response it is about, from 0, and of which tool. */
  readonly call?: number;
  readonly toolName?: string;
  /** True for a policy on trial: nothing of it was enforced. */
  readonly shadow?: true;
  /** True where a verdict was asked for again: after a rewrite, or after a person had answered. */
  readonly again?: true;
  /** True behind the divergence, where the record no longer says what would have happened. */
  readonly after: boolean;
}

/** Where a conversation left its record: the model knew nothing of this, and its next answers are played all the same. */
export interface Diverged {
  readonly turn: number;
  readonly step: number;
  /**
   * A call was blocked or a confirmation denied, a response was sent back, the turn was ended, a text was withheld, a
   * call was refused by the engine (`not-executed`, `invalid`), or one would run that did not run in the record (`ran`).
   */
  readonly why: ToolOutcome | 'sent-back' | 'turn-ended' | 'text-withheld' | 'ran';
  /** The policy, or who else did it. */
  readonly by?: string;
}

/** What came of one conversation under one set of policies, put together from the events of its agent. */
export class Course {
  readonly decisions: ReplayDecision[] = [];
  /** What went wrong that is no decision of a policy. */
  readonly problems: string[] = [];
  diverged: Diverged | undefined;
  /** Model calls. */
  steps = 0;
  /** Tool calls that got an answer of the record. */
  calls = 0;
  turn = 0;
  /** Says how a call ended in the record, so that the same end is no divergence. */
  readonly #recorded: (callId: string, toolName: string) => ToolOutcome | undefined;
  readonly #answered = new Set<string>();
  /** Who asked for a person, by call. */
  readonly #askers = new Map<string, string>();

  constructor(recorded: (callId: string, toolName: string) => ToolOutcome | undefined) {
    this.#recorded = recorded;
  }

  hear(event: AgentEvent): void {
    switch (event.type) {
      case 'hook.decided':
        this.#addDecision(event);
        break;
      case 'hook.failed':
        this.#addFailure(event);
        break;
      case 'llm.requested':
        this.steps += 1;
        break;
      case 'tool.succeeded':
        this.calls += 1;
        break;
      case 'approval.answered':
        this.#answered.add(event.callId);
        break;
      case 'llm.rejected':
        this.#diverge(event.step, 'sent-back', event.by);
        break;
      case 'tool.refused':
        this.#refuse(event);
        break;
      case 'message.outgoing':
        if (event.discarded === true) this.#diverge(event.step, 'text-withheld');
        break;
      case 'turn.finished':
        this.#endTurn(event);
        break;
    }
  }

  /** Takes how a turn failed, unless that is what a policy did: its decisions tell it. */
  hearFailure(error: AgentHooksError): void {
    const isTold = this.decisions.some((one) => one.turn === this.turn && ENDS.has(one.decision));
    if (!isTold) this.problems.push(`turn ${this.turn} failed: ${error.name} (${error.code})`);
  }

  /** A call runs that did nothing in the record. */
  runsAnew(step: number): void {
    this.#diverge(step, 'ran');
  }

  #addDecision(event: EventOf<'hook.decided'>): void {
    const { decision, reason, callId, recheck, policy } = event;
    // What a policy on trial has no opinion on is recorded, so that a trial can be told from the events alone.
    if (decision === 'none') return;
    const asks = decision === 'requires-confirmation' && event.shadow !== true;
    if (asks && callId !== undefined && !this.#askers.has(callId)) this.#askers.set(callId, policy);
    const again = recheck === true || (callId !== undefined && this.#answered.has(callId));
    this.decisions.push({
      ...this.#placeOf(event),
      decision,
      ...(reason !== undefined && { reason }),
      ...(event.shadow === true && { shadow: true }),
      ...(again && { again }),
      after: this.diverged !== undefined,
    });
  }

  #addFailure(event: EventOf<'hook.failed'>): void {
    const { kind, errorName } = event;
    this.decisions.push({
      ...this.#placeOf(event),
      decision: 'failed',
      reason: errorName === undefined ? kind : `${kind} (${errorName})`,
      ...(event.shadow === true && { shadow: true }),
      after: this.diverged !== undefined,
    });
  }

  #placeOf(event: EventOf<'hook.decided' | 'hook.failed'>) {
    const { step, policy, point, callId, toolName } = event;
    return {
      turn: this.turn,
      step,
      policy,
      point,
      ...(callId !== undefined && { call: callIndex(callId) }),
      ...(toolName !== undefined && { toolName }),
    };
  }

  #refuse({ step, outcome, callId, toolName, by }: EventOf<'tool.refused'>): void {
    if (this.#recorded(callId, toolName) === outcome) return;
    // A person who denies does what a policy asked them for.
    this.#diverge(step, outcome, outcome === 'denied' ? (this.#askers.get(callId) ?? by) : by);
  }

  #endTurn({ status, step }: EventOf<'turn.finished'>): void {
    // A cancel is the end of the record, and nothing else here makes one.
    if (status !== 'completed' && status !== 'cancelled') this.#diverge(step, 'turn-ended');
  }

  #diverge(step: number, why: Diverged['why'], by?: string): void {
    this.diverged ??= { turn: this.turn, step, why, ...(by !== undefined && { by }) };
  }
}

/** After which a turn may end `failed`. */
const ENDS: ReadonlySet<string> = new Set(['failed', 'retry-with-feedback', 'abort']);

/** Its place in its response, which ends the id that the engine mints. */
export function callIndex(callId: string): number {
  return Number(callId.slice(callId.lastIndexOf('.') + 1));
}
