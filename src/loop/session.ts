import type { AgentHooksError } from '../errors/base.ts';
import type { AgentEvent, EventBody, EventStamp, EventType } from '../events/event.ts';
import { EventPacker } from '../events/packed-events.ts';
import { isStored } from '../events/pattern.ts';
import { stamped } from '../events/stamp.ts';
import type { HookPoint } from '../hooks/agent-hooks.ts';
import type { HookGate, MemoryPort, RunFacts } from '../hooks/gate.ts';
import type { CancelScope } from '../internal/cancel-scope.ts';
import { deepFreeze } from '../internal/deep-freeze.ts';
import type { Writable } from '../internal/writable.ts';
import type { Approval } from '../protocol/approval.ts';
import type { ChatRequest } from '../protocol/chat.ts';
import type { Message } from '../protocol/message.ts';
import type { StateValues } from '../protocol/state-values.ts';
import type { ApprovalAnswer } from '../protocol/tool.ts';
import { formsOf } from '../stores/packed-port.ts';
import type { StoredThread } from '../stores/port.ts';
import type { AnswerPort } from '../tools/answer-port.ts';
import type { Announced } from './announced.ts';
import type { CallFacts } from './call-facts.ts';
import type { ChildEnd, ChildStart } from './child-start.ts';
import type { Summary } from './compaction-state.ts';
import type { HeldText } from './held-text.ts';
import { eventsOf, Outbox, type Outgoing } from './outbox.ts';
import type { Ports } from './ports.ts';
import type { Rules } from './rules.ts';
import { SessionMemory } from './session-memory.ts';
import { SessionState } from './session-state.ts';
import { type ParentCall, type ThreadState, turnOf } from './state.ts';
import type { ToolFailure } from './tell-thrown.ts';
import { ThreadDigest } from './thread-digest.ts';
import { ThreadHistory } from './thread-history.ts';
import { recordable } from './without-locks.ts';

/** What a run is started with, beside the thread. */
export interface RunOptions {
  readonly context: unknown;
  readonly facts: Omit<RunFacts, 'turnId' | 'threadId' | 'context' | 'model'>;
  readonly cancel: CancelScope;
  readonly rules: Rules;
  /** What the final answer has to fit; set for a run whose turn wants that. */
  readonly output?: AnswerPort;
  /** Where this run's own events go; absent for a run nobody streams. */
  readonly outlet?: (event: AgentEvent) => void;
  /** A promise while the reader of this run's events is behind; the model's stream waits for it. */
  readonly backpressure: () => Promise<void> | undefined;
  /** True when some policy hears events. */
  readonly watches: boolean;
  /** True when some policy hears events of this type. */
  readonly isWatched: (type: EventType) => boolean;
  /** Called after every commit. Must not throw. */
  readonly onStored?: () => void;
  /** Keeps messages from interrupting the run, until what it gives is called. */
  readonly holdInterruptions?: () => () => void;
  /** True when deltas leave as they come. */
  readonly live: boolean;
  /** True when text leaves as far as policies let it go. */
  readonly windowed: boolean;
  /** True when the model's streaming call is to be used. */
  readonly streams: boolean;
  /** Runs a subagent: a whole run within this one. */
  readonly startChild: (start: ChildStart, session: Session) => Promise<ChildEnd>;
  /** Set for the run of a subagent. */
  readonly above?: Above;
}

/** What the run of a subagent has of the run above it. */
export interface Above {
  readonly call: ParentCall;
  /** The policies above. What they remember is their own thread's, or a limit would count anew in every subagent. */
  readonly policies: ReadonlySet<string>;
  readonly memory: Required<MemoryPort>;
  /** What a policy above reads as the state: its own thread's, whose schema it was typed with. */
  readonly stateOf: (policy: string) => StateValues;
  /** Stores what they have remembered since it was stored last. Rejects when that cannot be; nothing for nothing new. */
  readonly save: () => Promise<void> | undefined;
}

/**
 * One run on one thread: the state, what is not committed yet, and the thread as this process knows it. Only
 * `perform` writes to it. Nothing in it outlives the run.
 */
export class Session {
  readonly ports: Ports;
  readonly options: RunOptions;
  readonly token: number;
  readonly digest: ThreadDigest;
  readonly history: ThreadHistory;
  readonly memory: SessionMemory;
  /** The state of the thread; absent for an agent without a schema of it. */
  readonly values: SessionState | undefined;
  /** What the model reads before the history. */
  readonly instructions: readonly Message[];
  state: ThreadState;
  version: number;
  /** The request that was built last; the state does not hold it (L1). */
  request: ChatRequest | undefined;
  /** Answers to what waits in the threads below, checked; each takes its own. */
  answers: readonly ApprovalAnswer[] = [];
  /** The approvals that the threads below wait for. */
  awaited: readonly Approval[] = [];
  /** The live error behind a failed outcome, with its cause. */
  error: AgentHooksError | undefined;
  /** True when deltas of the current response have left already. */
  hasStreamed = false;
  /** The text of the current response that waits for its windows; absent where nobody could let it go. */
  held: HeldText | undefined;
  /** What was announced while the batch runs; absent where nothing was. */
  announced: Announced | undefined;
  /** The latest text that was found to fit the output schema, and what that made of it. */
  answer: { readonly text: string; readonly value: unknown } | undefined;
  /** What this process knows of the calls of the batch; absent for calls of plain tools. */
  callFacts: CallFacts | undefined;
  /** Whether a decision is written down, or heard by somebody who may write it down. */
  readonly keepsDigests: boolean;
  #failures: Map<string, ToolFailure> | undefined;
  readonly #outbox: Outbox;
  readonly #storesAtOnce: boolean;
  #lastSeq: number;
  readonly #stamp: Writable<EventStamp>;
  #gate: HookGate | undefined;
  #gateTurn: string | undefined;
  #tick: number;
  /** False once something may have taken its time since the clock was read. */
  #isFresh = true;
  readonly #startedAt: number;
  #at: number | undefined;
  #atTick = 0;

  constructor(
    ports: Ports,
    options: RunOptions,
    thread: {
      readonly state: ThreadState;
      readonly token: number;
      readonly stored: StoredThread | undefined;
      /** Those after the first `from`. */
      readonly messages: readonly Message[];
      readonly from: number;
    },
  ) {
    this.ports = ports;
    this.options = options;
    this.token = thread.token;
    this.state = thread.state;
    this.version = thread.stored?.version ?? 0;
    this.#lastSeq = thread.stored?.lastSeq ?? 0;
    const { threadId } = this;
    const { agentPath } = options.facts;
    this.#stamp = { threadId, turnId: '', step: 0, at: 0, seq: 0 };
    if (agentPath.length > 0) this.#stamp.agentPath = agentPath;
    this.keepsDigests = ports.store.keepsDigests !== false || this.#isHeard('hook.decided');
    const forms = options.facts.agentPath.length === 0 ? formsOf(ports.store) : undefined;
    this.#storesAtOnce = forms !== undefined;
    this.#outbox = new Outbox(forms && new EventPacker(this.threadId, forms));
    this.#tick = ports.clock.monotonic();
    this.#startedAt = this.#tick;
    const { digestKey, historyDigest, summary } = thread.state;
    this.history = new ThreadHistory(summary, thread);
    this.digest = new ThreadDigest(
      digestKey,
      historyDigest ?? { count: this.history.upTo, head: '' },
    );
    this.memory = new SessionMemory(thread.stored?.memory ?? {}, options.above);
    this.values =
      ports.state && new SessionState(this.threadId, ports.state, () => this.state.values ?? EMPTY);
    const content = ports.instructions;
    this.instructions = content === '' ? [] : [Object.freeze({ role: 'system', content })];
  }

  get threadId(): string {
    return this.state.threadId;
  }

  /** Reads the monotonic clock. Whoever has waited for something does so at the end of it. */
  readonly now = (): number => {
    this.#tick = this.ports.clock.monotonic();
    this.#isFresh = true;
    return this.#tick;
  };

  /** The monotonic clock at the end of the latest wait; reading a clock costs more than a whole transition. */
  get tick(): number {
    return this.#tick;
  }

  /** As `tick`, and read anew where a commit or somebody's code may have taken its time since. */
  readonly start = (): number => (this.#isFresh ? this.#tick : this.now());

  /** Said after whatever may take its time without a wait. */
  readonly passTime = (): void => {
    this.#isFresh = false;
  };

  /** Milliseconds that runs of the thread have been active, this one included. What waits for a person is no run. */
  get activeMs(): number {
    return Math.round((this.state.totals.activeMs ?? 0) + this.now() - this.#startedAt);
  }

  /** Milliseconds since the epoch, read once for everything that happens within one of them, and nobody's code between. */
  get at(): number {
    if (this.#at === undefined || !this.#isFresh || this.#tick - this.#atTick >= 1) {
      this.#at = this.ports.clock.now();
      this.#atTick = this.#tick;
    }
    return this.#at;
  }

  noteFailure(callId: string, failure: ToolFailure): void {
    this.#failures ??= new Map();
    this.#failures.set(callId, failure);
  }

  failureOf(callId: string): ToolFailure | undefined {
    return this.#failures?.get(callId);
  }

  get messageCount(): number {
    return this.history.count;
  }

  /** From here on the summary is read in the place of what it stands for. */
  adopt(summary: Summary): void {
    this.history.adopt(summary);
    this.digest.restart(summary.upTo);
  }

  /** The policies, bound to the turn that asks. */
  gateFor(turnId: string): HookGate {
    if (this.#gate !== undefined && this.#gateTurn === turnId) return this.#gate;
    this.#gate?.close();
    const { ports, options } = this;
    const facts: RunFacts = {
      ...options.facts,
      threadId: this.threadId,
      turnId,
      model: ports.model.id,
      context: options.context,
    };
    this.#gateTurn = turnId;
    this.#gate = ports.hooks(facts, {
      now: this.now,
      start: this.start,
      passTime: this.passTime,
      record: (body) => this.record(body, turnId, turnOf(this.state.phase)?.step ?? 0),
      ...(this.keepsDigests && { digest: this.#digestOf }),
      messages: () => this.history.context,
      state: this.stateOf,
      counters: ports.counters,
      memory: this.memory,
      cancel: options.cancel,
    });
    return this.#gate;
  }

  /** What a policy reads as the state of its thread. */
  readonly stateOf = (policy: string): StateValues => {
    const { above } = this.options;
    if (above?.policies.has(policy) === true) return above.stateOf(policy);
    return this.values?.view ?? EMPTY;
  };

  /** Takes an event into the record: a stored one is heard after the commit that stores it, another at once. */
  record(body: EventBody, turnId: string, step: number): void {
    // A late answer, or an observer of the last event, may fail when the last commit of the run is over.
    const mayBeLast =
      body.type === 'hook.failed' && (body.late === true || body.point === 'onEvent');
    if (mayBeLast || !isStored(body.type)) {
      this.tell(body, turnId, step);
      return;
    }
    this.#store(body, turnId, step);
  }

  /** What a transition says has happened. All of it is stored. */
  recordAll(bodies: readonly EventBody[], turnId: string, step: number): void {
    for (const body of bodies) this.#store(body, turnId, step);
  }

  #store(body: EventBody, turnId: string, step: number): void {
    if (this.hasStreamed) this.#settleShown(body, turnId, step);
    this.#lastSeq += 1;
    this.#outbox.add(body, this.#stampOf(turnId, step));
  }

  /** Text that was shown live counts once it is said, or something of its batch runs; what ends before that takes it back. */
  #settleShown(body: EventBody, turnId: string, step: number): void {
    const isSaid =
      body.type === 'message.outgoing' && body.fallback === undefined && body.discarded !== true;
    // A turn that ends within a step ends the step first.
    const isOver = body.type === 'step.finished';
    const isKept =
      isSaid || body.type === 'tool.started' || (isOver && body.outcome === 'accepted');
    if (!isKept && !isOver) return;
    this.hasStreamed = false;
    if (!isKept) this.tell({ type: 'text.retracted', by: 'agent', point: 'turn' }, turnId, step);
  }

  /** What the next commit has to store. What is recorded during that commit waits for the one after it. */
  takeOutbox(): Outgoing {
    // A store takes its time, but for one in this process.
    if (!this.#storesAtOnce) this.passTime();
    return this.#outbox.take();
  }

  /** After a commit that failed while the run goes on: the next one has to store them. */
  putBack(outgoing: Outgoing): void {
    this.#outbox.putBack(outgoing);
  }

  /** Tells how a turn ended whose commit failed; what the commit should have stored is not heard. */
  publishUnstored(bodies: readonly EventBody[], turnId: string, step: number): void {
    const dropped = eventsOf(this.takeOutbox());
    // An end that is heard needs its start, and a turn whose first commit failed has told of none.
    for (const event of dropped) if (STARTS.has(event.type)) this.publish(event);
    for (const body of bodies) this.tell(body, turnId, step);
  }

  /** Lets an event be heard at once that is not part of the record. */
  tell(body: EventBody, turnId: string, step: number): void {
    // It may come in the middle of a wait.
    this.#at = undefined;
    this.publish(stamped(body, this.#stampOf(turnId, step)));
  }

  /** Tells whoever listens. An event nobody hears is not even frozen; a store that gives it out does that. */
  publishAll(outgoing: Outgoing): void {
    const { outlet, watches } = this.options;
    if (outlet === undefined && !watches && !this.ports.hasObservers()) return;
    for (const event of eventsOf(outgoing)) this.publish(event);
  }

  publish(event: AgentEvent): void {
    if (!this.#isHeard(event.type)) return;
    this.#isFresh = false;
    deepFreeze(event);
    // What was refused is for the audit: a stream is what a user interface shows.
    if (!('discarded' in event)) this.options.outlet?.(event);
    this.ports.observe(event);
    // The end of a thread belongs to no turn that anybody was asked about.
    if (this.options.isWatched(event.type))
      (this.#gate ?? this.gateFor(event.turnId)).observe(event);
  }

  close(): void {
    this.#gate?.close();
    this.options.cancel.close();
  }

  #isHeard(type: EventType): boolean {
    const { outlet, isWatched } = this.options;
    return outlet !== undefined || this.ports.isObserved(type) || isWatched(type);
  }

  readonly #digestOf = (point: HookPoint, payload: unknown): string =>
    point === 'preLlmRequest' || point === 'wrapLlmCall'
      ? this.digest.ofRequest(payload as ChatRequest)
      : this.digest.of(recordable(point, payload, this.ports.tools));

  /** One object for all events, as each takes a copy of what is in it. */
  #stampOf(turnId: string, step: number): EventStamp {
    const stamp = this.#stamp;
    stamp.turnId = turnId;
    stamp.step = step;
    stamp.at = this.at;
    stamp.seq = this.#lastSeq;
    return stamp;
  }
}

const STARTS: ReadonlySet<string> = new Set(['turn.started', 'step.started']);

const EMPTY = Object.freeze({});
