import { AgentHooksError } from '../errors/base.ts';
import { CorruptRecordError, StoreError, StoreVersionError } from '../errors/store-error.ts';
import { SUSPENDED } from '../hooks/wrapped-results.ts';
import type { CancelScope } from '../internal/cancel-scope.ts';
import { MAX_TIMER_MS } from '../internal/timer-limit.ts';
import type { UserMessage } from '../protocol/message.ts';
import { parseUserMessage } from '../protocol/message-schema.ts';
import type { ToolResult } from '../protocol/tool.ts';
import { childThreadId, readBelow, readThread } from './below.ts';
import { CANCELLED } from './call-outcomes.ts';
import { cannotGoOn, noMessage, tooDeep } from './child-results.ts';
import { type Caller, timeLeft } from './child-rules.ts';
import type { ChildStart } from './child-start.ts';
import { CHILD, type ChildTool, isChildTool } from './child-tool.ts';
import type { OutcomeSaver } from './outcome-saver.ts';
import type { Session } from './session.ts';
import { spentOf } from './spend.ts';
import type { ChildSpent, CountedChild } from './spent-state.ts';
import { type BatchCall, type OpenTurn, turnOf } from './state.ts';
import { countChildren } from './step-children.ts';
import { strayAgent } from './stray-agent.ts';

/** The subagents of one batch, while it runs (L11). */
export class Children {
  readonly #session: Session;
  readonly #turn: OpenTurn;
  readonly #counted: readonly CountedChild[];
  readonly #saver: OutcomeSaver;
  /** True when an earlier process may have begun them. */
  readonly #recovering: boolean;
  readonly #spent = new Map<string, ChildSpent>();
  readonly #begun = new Set<string>();
  readonly #ended = new Set<string>();
  #broken: unknown;

  constructor(
    session: Session,
    batch: {
      readonly turn: OpenTurn;
      readonly counted: readonly CountedChild[];
      readonly saver: OutcomeSaver;
      readonly recovering: boolean;
    },
  ) {
    this.#session = session;
    this.#turn = batch.turn;
    this.#counted = batch.counted;
    this.#saver = batch.saver;
    this.#recovering = batch.recovering;
    session.awaited = [];
  }

  /** What each has used, those of earlier runs included. */
  get spent(): readonly CountedChild[] {
    return [...this.#spent].map(([callId, spent]) => ({ callId, ...spent }));
  }

  /** Looks up what an earlier process has let them use: whichever goes on first has to find it spent. */
  async countStored(calls: readonly BatchCall[]): Promise<void> {
    if (!this.#recovering) return;
    const { ports, threadId } = this.#session;
    for (const { callId } of calls) {
      try {
        const below = await readThread(ports.store, childThreadId(threadId, callId));
        const turn = below && turnOf(below.phase);
        if (turn !== undefined) this.#spent.set(callId, spentOf(turn));
      } catch (error) {
        // What cannot be read is answered for by the call.
        if (!isLost(error)) throw error;
      }
    }
  }

  /**
   * Runs the child of a call, or goes on with it, to its end or to where it waits. Never rejects. None is begun after
   * one that broke off: the batch is not over then, and what they use could not be counted.
   */
  run(call: BatchCall): Promise<ToolResult> {
    return this.#broken === undefined ? this.#safely(call, false) : Promise.resolve(SUSPENDED);
  }

  /** Ends the child of a call, if there is one; the result of one that has ended already stays what it is. */
  end(call: BatchCall): Promise<ToolResult> {
    if (!this.#recovering && !this.#begun.has(call.callId)) return Promise.resolve(CANCELLED);
    return this.#safely(call, true);
  }

  /** Ends those whose call has got its result from somewhere else. Throws what kept one of them from being stored. */
  async settle(calls: readonly BatchCall[]): Promise<void> {
    for (const call of calls) if (!this.#ended.has(call.callId)) await this.end(call);
    if (this.#broken !== undefined) throw this.#broken;
  }

  #safely(call: BatchCall, ending: boolean): Promise<ToolResult> {
    return this.#go(call, ending).catch((error: unknown) => {
      // The child is somewhere in its turn, where another run can pick it up: its call has no result yet.
      this.#broken ??= error;
      return SUSPENDED;
    });
  }

  async #go(call: BatchCall, ending: boolean): Promise<ToolResult> {
    const { ports, options } = this.#session;
    const tool = ports.tools.get(call.toolName);
    if (!isChildTool(tool)) return this.#abandon(call);
    const agentPath = [...options.facts.agentPath, ports.agentName];
    const { maxDepth } = tool[CHILD];
    if (!ending && agentPath.length > maxDepth) return tooDeep(maxDepth);
    const message = ending ? undefined : await this.#message(tool, call);
    return message === null ? noMessage() : this.#start(call, tool[CHILD], { agentPath, message });
  }

  /** Nothing once nobody waits for it any more, and `null` where there is no message. */
  async #message(tool: ChildTool<never>, call: BatchCall): Promise<UserMessage | null | undefined> {
    // One that has begun has its message: whether it goes on must not depend on making it once more.
    if (await this.#hasBegun(call)) return IS_TOLD;
    const limitMs = leastOf(
      tool[CHILD].timeoutMs,
      timeLeft(this.#caller(call), this.#session.now()),
    );
    return untilGivenUp(readMessage(tool, call), { cancel: this.#session.options.cancel, limitMs });
  }

  async #hasBegun({ callId }: BatchCall): Promise<boolean> {
    if (!this.#recovering && !this.#begun.has(callId)) return false;
    const { ports, threadId } = this.#session;
    try {
      return (await ports.store.load(childThreadId(threadId, callId))) !== undefined;
    } catch (error) {
      if (isLost(error)) return true;
      throw error;
    }
  }

  async #start(
    call: BatchCall,
    { agent, timeoutMs }: Pick<ChildTool[typeof CHILD], 'agent' | 'timeoutMs'>,
    how: { readonly agentPath: readonly string[]; readonly message: UserMessage | undefined },
  ): Promise<ToolResult> {
    const { options } = this.#session;
    const caller = this.#caller(call);
    const start: ChildStart = {
      ...how,
      callId: call.callId,
      threadId: childThreadId(this.#session.threadId, call.callId),
      agent,
      caller,
      saver: this.#saver,
      limitMs: leastOf(timeoutMs, timeLeft(caller, this.#session.now())),
    };
    this.#begun.add(call.callId);
    try {
      const { result, approvals, turn } = await options.startChild(start, this.#session);
      if (turn !== undefined) this.#spent.set(call.callId, spentOf(turn));
      if (result !== undefined) return this.#ends(call, result);
      this.#session.awaited = [...this.#session.awaited, ...approvals];
      return SUSPENDED;
    } catch (error) {
      if (!isLost(error)) throw error;
      if (error.code === 'agent-mismatch') return this.#abandon(call);
      // What cannot be gone on with can often still be ended.
      if (how.message !== undefined)
        await this.#start(call, { agent }, { ...how, message: undefined });
      return this.#giveUp(call, error);
    }
  }

  /** What of it is damaged is for people: events tell it, and its call is over. */
  #giveUp(call: BatchCall, error: AgentHooksError): ToolResult {
    const { callId, toolName } = call;
    const eventText = `${toolName}: its subagent cannot be gone on with (${error.code})`;
    this.#session.noteFailure(callId, { error, eventText });
    return this.#ends(call, cannotGoOn(error.code));
  }

  /** Nobody can go on with it, so it is ended; if it had ended before, its result is what it was. */
  async #abandon(call: BatchCall): Promise<ToolResult> {
    const { ports, options, threadId } = this.#session;
    const below = await readBelow(ports.store, childThreadId(threadId, call.callId));
    if (CorruptRecordError.isInstance(below)) return this.#giveUp(call, below);
    if (below === undefined) return this.#ends(call, cannotGoOn('the agent is no longer there'));
    const agentPath = [...options.facts.agentPath, ports.agentName];
    const agent = strayAgent(below.agent, this.#session);
    const result = await this.#start(call, { agent }, { agentPath, message: undefined });
    return result.outcome === 'cancelled' ? cannotGoOn('the agent is no longer there') : result;
  }

  #ends({ callId }: BatchCall, result: ToolResult): ToolResult {
    this.#ended.add(callId);
    return result;
  }

  /** With everything counted that the batch has used so far, siblings included. */
  #caller({ callId }: BatchCall): Caller {
    const { state, options } = this.#session;
    const { rules } = options;
    const before = { turn: this.#turn, children: this.#counted };
    const now = countChildren(state, before, { event: { children: this.spent }, rules });
    const own = now.children.find((one) => one.callId === callId);
    return { state: now.state, turn: now.turn, rules, own };
  }
}

/** Stands for the message of a child whose thread has it. */
const IS_TOLD: UserMessage = Object.freeze({ role: 'user', content: Object.freeze([]) });

/** Waits for a message, the time its call has or the cancel: a function of the app may never answer. */
function untilGivenUp(
  reading: Promise<UserMessage | null>,
  { cancel, limitMs }: { readonly cancel: CancelScope; readonly limitMs: number | undefined },
): Promise<UserMessage | null | undefined> {
  return new Promise((resolve) => {
    const end = (message: UserMessage | null | undefined): void => {
      clearTimeout(timer);
      cancel.unlisten(giveUp);
      resolve(message);
    };
    const giveUp = (): void => end(undefined);
    const timer =
      limitMs === undefined
        ? undefined
        : setTimeout(() => end(null), Math.min(limitMs, MAX_TIMER_MS));
    cancel.listen(giveUp);
    void reading.then(end);
  });
}

/** `null` for what is no message. */
async function readMessage(tool: ChildTool<never>, call: BatchCall): Promise<UserMessage | null> {
  try {
    const read = parseUserMessage(await tool[CHILD].message(call.effectiveInput));
    return 'message' in read ? read.message : null;
  } catch {
    // What it threw may quote the input; the result says that there was no message.
    return null;
  }
}

/** A thread that nobody can go on with any more. Whatever else fails can be tried again. */
function isLost(error: unknown): error is AgentHooksError {
  if (CorruptRecordError.isInstance(error) || StoreVersionError.isInstance(error)) return true;
  return AgentHooksError.isInstance(error) && !StoreError.isInstance(error);
}

function leastOf(...limits: readonly (number | undefined)[]): number | undefined {
  const least = Math.min(...limits.map((limit) => limit ?? Number.POSITIVE_INFINITY));
  return Number.isFinite(least) ? least : undefined;
}
