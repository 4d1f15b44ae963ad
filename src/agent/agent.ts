import type { CorruptRecordError } from '../errors/store-error.ts';
import type { EventPattern, EventsOf } from '../events/pattern.ts';
import type { RunResult } from '../loop/result.ts';
import type { RunStream } from '../loop/stream.ts';
import type { Approval } from '../protocol/approval.ts';
import type { StateOf, StateValues } from '../protocol/state-values.ts';
import type { SchemaOutput, ToolSchema } from '../tools/schema.ts';
import type { ResumeInput, RunContext, RunInput, StepInput, SubmitInput } from './agent-options.ts';
import type { ObserverOptions } from './observers.ts';
import type { UnfinishedOptions, UnfinishedTurn } from './unfinished-turns.ts';

/** A result with the state of the thread in the type of the agent's `stateSchema`, and its output in that of `output`. */
export type AgentResult<State = StateValues, Output = never> = RunResult<Output> &
  StateOfResult<State>;

/** Only a run that failed or was cancelled may have begun without its thread. Without a type, nobody says there is a schema. */
type StateOfResult<State> = StateValues extends State
  ? { readonly state?: State }
  :
      | { readonly status: 'failed' | 'cancelled'; readonly state?: State }
      | {
          readonly status: Exclude<RunResult['status'], 'failed' | 'cancelled'>;
          readonly state: State;
        };

/** The events of a run, and such a result. */
export type AgentStream<State = StateValues, Output = never> = RunStream<Output> & {
  readonly result: Promise<AgentResult<State, Output>>;
};

/** An agent whose policies hold in every way it can be run. Stateless: everything of a thread is in the store. */
export interface Agent<Context = unknown, State = StateOf<Context>> {
  readonly name: string;
  /**
   * Runs one turn to its end, or to where a person or the host is needed; `continues` is for `runStep` only. Whatever fails
   * is in the result, as `failed`: a policy, the model, a cap, or the store, also where nothing could be loaded.
   *
   * Throws only for what the caller has to know before anything runs: `ConfigError` for the input; `PendingApprovalError`
   * and `PendingToolsError` for a thread that waits for answers or results, and other `ThreadError`s for one that is not
   * this agent's to run; `ThreadBusyError` where another run holds it (see `onBusy`); `StateError` for a stored state that
   * does not fit; `StoreVersionError` and `CorruptRecordError` for what this version cannot read.
   */
  run<Schema extends ToolSchema = never>(
    input: RunInput<Context, State, Schema>,
  ): Promise<AgentResult<State, SchemaOutput<Schema>>>;
  /** The same, with its events as they come. Starts at once; leaving the loop early does not end the run. */
  stream<Schema extends ToolSchema = never>(
    input: RunInput<Context, State, Schema>,
  ): AgentStream<State, SchemaOutput<Schema>>;
  /** One model call and its tools; `continues` until the turn ends. The retry cap binds over these calls too. */
  runStep<Schema extends ToolSchema = never>(
    input: StepInput<Context, State, Schema>,
  ): Promise<AgentResult<State, SchemaOutput<Schema>>>;
  /**
   * Goes on with a turn that stands still, in this process or another. With `answers` it answers pending approvals: all of
   * them have to match, or none counts. Without, what has expired counts as not approved, and a turn that an ended process
   * left goes on, as after a crash; one that waits for a person is given back as it is.
   *
   * Throws before anything runs: `ApprovalError` when an answer matches no open approval; `UnknownThreadError`;
   * `ThreadError` with `nothing-to-continue` when the last turn has ended, and with `output-needed` when it was begun with
   * an `output` that is not given again; `ThreadBusyError` where another run holds the thread, which a process that was
   * killed does for up to `leaseMs`; and what `run` throws for an input, a thread or a record. All else is in the result.
   */
  resume<Schema extends ToolSchema = never>(
    input: ResumeInput<Context, Schema>,
  ): Promise<AgentResult<State, SchemaOutput<Schema>>>;
  /** `resume` with its events as they come. */
  streamResume<Schema extends ToolSchema = never>(
    input: ResumeInput<Context, Schema>,
  ): AgentStream<State, SchemaOutput<Schema>>;
  /**
   * Ends the open turn, running here or stored. Answers as the run does; the thread can go on with a message. What an
   * ended process left of a stored turn is judged by the policies, with the `context` given here; policies that a
   * function makes for each thread are asked only where one is given.
   */
  cancel(threadId: string, about?: Partial<RunContext<Context>>): Promise<AgentResult<State>>;
  /**
   * Goes on with a turn that waits for tools of the host (`hostTool`), in this process or another. All results have to
   * come at once, one for every call that waits. Throws `ToolResultError` where they do not match those calls, and
   * `ThreadError` where none waits: nothing has changed then.
   */
  submitToolResults<Schema extends ToolSchema = never>(
    input: SubmitInput<Context, Schema>,
  ): Promise<AgentResult<State, SchemaOutput<Schema>>>;
  /** `submitToolResults` with its events as they come. */
  streamToolResults<Schema extends ToolSchema = never>(
    input: SubmitInput<Context, Schema>,
  ): AgentStream<State, SchemaOutput<Schema>>;
  /** Ends the open turn, if any, and the conversation: `thread.ended`, whose observers are waited for up to a limit. Throws what the store failed with. */
  endThread(threadId: string, reason: string, options?: EndOptions): Promise<void>;
  /**
   * Approvals that can still be answered, by id: of all threads, or of one and the subagents it waits for. What has expired
   * is left out, and a page with fewer than `limit` is the last. For the next one give the last id as `after`. A record that
   * cannot be read is left out, and `onDamaged` is told of it, with its thread; without `onDamaged` a warning of the process
   * is (`AGENT_HOOKS_DAMAGED`). The others can be answered all the same.
   */
  pendingApprovals(page?: {
    readonly threadId?: string;
    readonly after?: string;
    readonly limit?: number;
    readonly onDamaged?: (error: CorruptRecordError) => void;
  }): Promise<readonly Approval[]>;
  /**
   * The turns of this agent, by its name, that are stored without an end: those an ended process left, and those that wait
   * for somebody. For the start of a process: it reads the state of every thread of the store, one after the other. Threads
   * of subagents are left out, as the thread above goes on with them, and so is what a run of this agent is at.
   *
   * Reads only, and claims nothing, so any of them may be running in another process, or be over by now: `resume` then
   * throws `ThreadBusyError` (try again after `leaseMs`) or `ThreadError`. Throws `ConfigError` for an unusable option, and
   * while it is read what the store throws. A thread that cannot be read is left out: see `onDamaged`.
   *
   * @example
   * for await (const { threadId } of agent.unfinishedTurns())
   *   await agent.resume({ threadId }).catch(report);
   */
  unfinishedTurns(options?: UnfinishedOptions): AsyncIterable<UnfinishedTurn>;
  /**
   * Watches events of every run, by their type, by noun (`tool.*`) or all (`*`). A synchronous observer runs before
   * the agent goes on; nobody waits for an asynchronous one, and it does not keep a process alive beyond its limit.
   * One that throws, rejects or takes too long changes nothing and is told of as `error.raised`, in this process
   * only. A function registered twice is told once of each event, by the first registration that means it.
   *
   * Returns how to stop. Throws `ConfigError` for a pattern that means no event, and lists those there are.
   */
  on<Pattern extends EventPattern>(
    pattern: Pattern,
    observer: (event: EventsOf<Pattern>) => unknown,
    options?: ObserverOptions,
  ): () => void;
  /** Settles when the observers told so far are done or given up on. For tests and shutdown. */
  settled(): Promise<void>;
}

export interface EndOptions {
  /**
   * Milliseconds for which the observers of `thread.ended` are waited for in all; each also has its own limit. One
   * that takes longer goes on, and nobody waits for it. Default: 5000.
   */
  readonly observersMs?: number;
}
