import { HookError } from '../errors/hook-error.ts';
import type { EventPattern, EventsOf } from '../events/pattern.ts';
import { bindHooks } from '../hooks/bind.ts';
import type { CompiledHooks } from '../hooks/compile.ts';
import { CancelScope } from '../internal/cancel-scope.ts';
import type { Writable } from '../internal/writable.ts';
import { startChild } from '../loop/child-run.ts';
import type { ChildAgent } from '../loop/child-tool.ts';
import { fallbackText } from '../loop/fallback-text.ts';
import type { Ports } from '../loop/ports.ts';
import { neverStarted, notBegun, type RunResult } from '../loop/result.ts';
import { resumeThread } from '../loop/resume.ts';
import type { Rules } from '../loop/rules.ts';
import { cancelStored, continueTurn, endThread, runMessage } from '../loop/run.ts';
import type { RunOptions } from '../loop/session.ts';
import { Outlet, type RunStream } from '../loop/stream.ts';
import { submitResults } from '../loop/submit.ts';
import type { ThreadRun } from '../loop/with-thread.ts';
import type { StateValues } from '../protocol/state-values.ts';
import type { AnswerPort } from '../tools/answer-port.ts';
import type { SchemaOutput, ToolSchema } from '../tools/schema.ts';
import type { Agent, EndOptions } from './agent.ts';
import type {
  AgentOptions,
  ResumeInput,
  RunContext,
  RunInput,
  StepInput,
  SubmitInput,
} from './agent-options.ts';
import { AnswerSchemas } from './answer-schemas.ts';
import { checkAnswers } from './check-answers.ts';
import { checkEndOptions } from './check-end.ts';
import { checkGuarded } from './check-guarded.ts';
import { checkAgentOptions } from './check-options.ts';
import { checkRunInput, checkThreadId, type InputKeys, readMessage } from './check-run.ts';
import { readRunState, refuseState, stateOf } from './check-state.ts';
import { checkSubmitted } from './check-submitted.ts';
import { AS_CHILD, childAgent, NO_HOOKS } from './child-agent.ts';
import { Crowd } from './crowd.ts';
import { drainTools } from './drain-tools.ts';
import { type HooksFor, hooksFor } from './hooks-for.ts';
import { type Interruption, Interruptions } from './interruptions.ts';
import { listApprovals } from './list-approvals.ts';
import { LiveRuns } from './live-runs.ts';
import { type Observer, type ObserverOptions, Observers } from './observers.ts';
import { portsOf } from './ports-of.ts';
import { isOpen, requireStored, withOutput } from './read-result.ts';
import { rulesOf } from './rules-of.ts';
import { givenFacts } from './run-facts.ts';
import type { StateSchema } from './state-schema.ts';
import { GIVEN_UP, ThreadQueue } from './thread-queue.ts';
import { type UnfinishedOptions, unfinishedTurns } from './unfinished-turns.ts';

const RUN_KEYS: InputKeys = {
  required: ['message'],
  optional: ['threadId', 'supersede', 'state', 'output'],
};
const STEP_KEYS: InputKeys = {
  required: ['threadId'],
  optional: ['message', 'supersede', 'state', 'output'],
};
const RESUME_KEYS: InputKeys = { required: ['threadId'], optional: ['answers', 'output'] };
const SUBMIT_KEYS: InputKeys = { required: ['threadId', 'results'], optional: ['output'] };
const CANCEL_KEYS: InputKeys = { required: [], optional: [] };

/**
 * Wires policies, tools, a model and a store into an agent. Everything that can be wrong with the options is
 * a `ConfigError` here, before anything has run.
 */
export function createAgent<Context = unknown, State extends StateValues = StateValues>(
  options: AgentOptions<Context, State>,
): Agent<Context, State> {
  return build(options, true);
}

/** The same with the tools of a record, which names those that were called and no others. */
export function createAgentOnRecord(options: AgentOptions): Agent {
  return build(options, false);
}

function build<Context, State extends StateValues>(
  options: AgentOptions<Context, State>,
  namesAreKnown: boolean,
): Agent<Context, State> {
  checkAgentOptions(options);
  // Values are of the type of the schema once it has checked them, which is before anything reads them.
  const given = options as unknown as AgentOptions<Context, StateValues>;
  const agent = new ThreadAgent<Context>(given, namesAreKnown);
  return agent as unknown as Agent<Context, State>;
}

/** What one call of the agent comes down to: a thread, what the caller gave, and the event it begins with. */
interface Start<Context> {
  readonly threadId: string;
  readonly input: Partial<RunContext<Context>>;
  readonly begin: (run: ThreadRun) => Promise<RunResult>;
  readonly rules?: Partial<Rules>;
  readonly output?: AnswerPort;
  readonly outlet?: Outlet;
  /** In the place of the agent's policies. */
  readonly hooks?: CompiledHooks;
  /** What it does on a busy thread, where the agent's `onBusy` lets it wait. */
  readonly asks?: 'to-follow' | 'to-interrupt';
  readonly interruption?: Interruption;
}

/** What a turn begins with. */
type TurnInput = Pick<StepInput<unknown, StateValues>, 'message' | 'supersede' | 'state'>;

class ThreadAgent<Context> implements Agent<Context, StateValues> {
  readonly name: string;
  readonly [AS_CHILD]: ChildAgent;
  readonly #options: AgentOptions<Context, StateValues>;
  readonly #ports: Omit<Ports, 'hooks' | 'policies'>;
  readonly #rules: Rules;
  readonly #state: StateSchema | undefined;
  readonly #answers: AnswerSchemas;
  readonly #observers = new Observers();
  readonly #runs = new LiveRuns();
  readonly #crowd = new Crowd<Start<Context>, RunResult>({
    begin: (start) => this.#startNow(start),
    waits: ({ threadId }) => this.#runs.waits(threadId),
    hasWaited: ({ threadId }) => this.#runs.hasWaited(threadId),
  });
  readonly #queue = new ThreadQueue();
  readonly #interruptions = new Interruptions();
  readonly #hooksFor: HooksFor<Context>;
  #bound: { readonly compiled: CompiledHooks; readonly ports: Ports } | undefined;

  constructor(options: AgentOptions<Context, StateValues>, namesAreKnown: boolean) {
    this.name = options.name;
    this.#options = options;
    this.#state = stateOf(options);
    this.#rules = rulesOf(options, this.#state);
    this.#ports = portsOf(options, this.#observers, this.#state);
    const { tools } = this.#ports;
    this.#hooksFor = hooksFor(options.hooks ?? [], options.hookTimeouts ?? 'default', (list) => {
      if (namesAreKnown) checkGuarded(list, tools);
    });
    this.#answers = new AnswerSchemas(this.#ports.tools.descriptions);
    this[AS_CHILD] = childAgent({
      name: options.name,
      ports: this.#ports,
      rules: this.#rules,
      hooksFor: this.#hooksFor,
      isMade: typeof options.hooks === 'function',
    });
  }

  run<Schema extends ToolSchema>(input: RunInput<Context, StateValues, Schema>) {
    return withOutput<Schema>(this.#runMessage('agent.run', input, undefined));
  }

  stream<Schema extends ToolSchema>(input: RunInput<Context, StateValues, Schema>) {
    return this.#streamed<Schema>((outlet) => this.#runMessage('agent.stream', input, outlet));
  }

  streamResume<Schema extends ToolSchema>(input: ResumeInput<Context, Schema>) {
    return this.#streamed<Schema>((outlet) => this.#resume('agent.streamResume', input, outlet));
  }

  runStep<Schema extends ToolSchema>(input: StepInput<Context, StateValues, Schema>) {
    return withOutput<Schema>(this.#runStep('agent.runStep', input));
  }

  resume<Schema extends ToolSchema>(input: ResumeInput<Context, Schema>) {
    return withOutput<Schema>(this.#resume('agent.resume', input, undefined));
  }

  async cancel(threadId: string, about: Partial<RunContext<Context>> = {}): Promise<RunResult> {
    checkRunInput('agent.cancel', about, CANCEL_KEYS);
    const live = this.#runs.of(checkThreadId('agent.cancel', threadId));
    if (live === undefined) {
      const claimed = this.#runs.claimed(threadId);
      if (claimed !== undefined) return claimed.then(() => this.cancel(threadId, about));
      const begin = cancelStored;
      return this.#start({ threadId, input: about, begin, ...this.#hooksToEnd(about) });
    }
    live.cancel.cancel();
    // A run that was refused, or only looked at what waits, has ended nothing.
    const ended = await live.result.catch(() => undefined);
    return ended === undefined || isOpen(ended) ? this.cancel(threadId, about) : ended;
  }

  submitToolResults<Schema extends ToolSchema>(input: SubmitInput<Context, Schema>) {
    return withOutput<Schema>(this.#submit('agent.submitToolResults', input, undefined));
  }

  streamToolResults<Schema extends ToolSchema>(input: SubmitInput<Context, Schema>) {
    return this.#streamed<Schema>((out) => this.#submit('agent.streamToolResults', input, out));
  }

  async endThread(threadId: string, reason: string, options: EndOptions = {}): Promise<void> {
    const observersMs = checkEndOptions(options);
    requireStored(await this.cancel(checkThreadId('agent.endThread', threadId)));
    const begin = (run: ThreadRun) => endThread(run, reason);
    requireStored(await this.#start({ threadId, input: {}, begin, ...this.#hooksToEnd({}) }));
    const drained = drainTools(this.#ports, threadId, observersMs);
    await Promise.all([drained, this.#observers.ended(threadId, observersMs)]);
  }

  pendingApprovals(
    page: Parameters<Agent['pendingApprovals']>[0] = {},
  ): ReturnType<Agent['pendingApprovals']> {
    return listApprovals(this.#ports, page);
  }

  unfinishedTurns(options: UnfinishedOptions = {}): ReturnType<Agent['unfinishedTurns']> {
    const isLive = (threadId: string) => this.#runs.of(threadId) !== undefined;
    return unfinishedTurns({ ports: this.#ports, isLive }, options);
  }

  on<Pattern extends EventPattern>(
    pattern: Pattern,
    observer: (event: EventsOf<Pattern>) => unknown,
    options?: ObserverOptions,
  ): () => void {
    // The observer is only ever told of what its pattern means.
    return this.#observers.on(pattern, observer as Observer, options);
  }

  settled(): Promise<void> {
    return this.#observers.settled();
  }

  #streamed<Schema extends ToolSchema>(
    begin: (outlet: Outlet) => Promise<RunResult>,
  ): RunStream<SchemaOutput<Schema>> {
    const outlet = new Outlet();
    const result = withOutput<Schema>(begin(outlet).finally(() => outlet.end()));
    // A caller that only reads events still must not end the process; whoever awaits `result` gets the error.
    result.catch(() => undefined);
    return { result, [Symbol.asyncIterator]: () => outlet[Symbol.asyncIterator]() };
  }

  async #resume(
    where: string,
    input: ResumeInput<Context, ToolSchema>,
    outlet: Outlet | undefined,
  ): Promise<RunResult> {
    checkRunInput(where, input, RESUME_KEYS);
    const threadId = checkThreadId(where, input.threadId);
    const answers = checkAnswers(input.answers ?? []);
    const begin = (run: ThreadRun) => resumeThread(run, answers);
    const wish = this.#answers.of(where, input);
    const start = { threadId, input, begin, asks: 'to-follow', ...wish } as const;
    return this.#start(outlet === undefined ? start : { ...start, outlet });
  }

  async #submit(
    where: string,
    input: SubmitInput<Context, ToolSchema>,
    outlet: Outlet | undefined,
  ): Promise<RunResult> {
    checkRunInput(where, input, SUBMIT_KEYS);
    const threadId = checkThreadId(where, input.threadId);
    const results = checkSubmitted(where, input.results);
    const begin = (run: ThreadRun) => submitResults(run, results);
    const wish = this.#answers.of(where, input);
    const start = { threadId, input, begin, asks: 'to-follow', ...wish } as const;
    return this.#start(outlet === undefined ? start : { ...start, outlet });
  }

  async #runStep(
    where: string,
    input: StepInput<Context, StateValues, ToolSchema>,
  ): Promise<RunResult> {
    checkRunInput(where, input, STEP_KEYS);
    const threadId = checkThreadId(where, input.threadId);
    const step = { threadId, input, rules: SINGLE_STEP, ...this.#answers.of(where, input) };
    if (input.message === undefined) {
      refuseState(input.state);
      return this.#start({ ...step, begin: continueTurn, asks: 'to-follow' });
    }
    return this.#start({ ...step, begin: this.#beginning(where, input), asks: 'to-interrupt' });
  }

  async #runMessage(
    where: string,
    input: RunInput<Context, StateValues, ToolSchema>,
    outlet: Outlet | undefined,
  ): Promise<RunResult> {
    checkRunInput(where, input, RUN_KEYS);
    const threadId =
      input.threadId === undefined ? this.#ports.newId() : checkThreadId(where, input.threadId);
    const begin = this.#beginning(where, input);
    const wish = this.#answers.of(where, input);
    const start = { threadId, input, begin, asks: 'to-interrupt', ...wish } as const;
    return this.#start(outlet === undefined ? start : { ...start, outlet });
  }

  /** Reads what a turn begins with, before anything runs. */
  #beginning(where: string, input: TurnInput): Start<Context>['begin'] {
    const message = readMessage(where, input.message);
    const values = readRunState(where, input.state, this.#state);
    const supersede = input.supersede === true;
    return (run) => runMessage(run, { message, supersede, values });
  }

  #start(start: Start<Context>): Promise<RunResult> {
    const { onBusy = 'reject' } = this.#options;
    if (onBusy === 'reject' || start.asks === undefined) return this.#crowd.begin(start);
    if (onBusy === 'queue') return this.#follow(start);
    const { interruption, leave } = this.#interruptions.enter(start.threadId, start.asks);
    return this.#follow({ ...start, interruption }).finally(leave);
  }

  async #follow(start: Start<Context>): Promise<RunResult> {
    const { threadId, input } = start;
    const result = await this.#queue.follow(threadId, () => this.#crowd.begin(start), input.signal);
    return result === GIVEN_UP ? notBegun(threadId) : result;
  }

  #startNow(start: Start<Context>): Promise<RunResult> {
    const { threadId, input, outlet } = start;
    // An absent context is the app's own choice of type.
    const hooks = start.hooks ?? this.#hooksFor(threadId, input.context as Context);
    if (hooks instanceof HookError) {
      const text = fallbackText({}, 'hook-failure', this.#rules);
      return Promise.resolve(neverStarted(threadId, hooks, text));
    }
    const cancel = new CancelScope(input.signal);
    start.interruption?.bind(cancel);
    const mode =
      outlet === undefined
        ? 'hold'
        : (this.#options.streaming ?? (hooks.holdsStream ? 'hold' : 'live'));
    const live = mode === 'live';
    const windowed = mode === 'window' && hooks.releasesText;
    const announcesCalls = live || windowed;
    const options: Writable<RunOptions> = {
      context: input.context,
      facts: { agentPath: NO_PATH, ...givenFacts(input) },
      cancel,
      rules:
        start.rules === undefined && !announcesCalls
          ? this.#rules
          : { ...this.#rules, ...start.rules, announcesCalls },
      backpressure: outlet?.backpressure ?? none,
      watches: hooks.entries.onEvent !== undefined,
      isWatched: (type) => hooks.observers[type] !== undefined,
      live,
      windowed,
      streams: outlet !== undefined,
      startChild,
    };
    if (start.output !== undefined) options.output = start.output;
    if (outlet !== undefined) options.outlet = outlet.push;
    if (start.interruption !== undefined) {
      options.onStored = start.interruption.stored;
      options.holdInterruptions = start.interruption.hold;
    }
    const ports = this.#portsWith(hooks);
    return this.#runs.begin(threadId, cancel, (onClaimed) =>
      start.begin({ ports, threadId, options, onClaimed }),
    );
  }

  /** Policies that a function makes of a context need one; what ends a turn without it is judged by nobody. */
  #hooksToEnd(about: object): { readonly hooks?: CompiledHooks } {
    const isMade = typeof this.#options.hooks === 'function';
    return isMade && !('context' in about) ? { hooks: NO_HOOKS } : {};
  }

  /** Made once for a list of policies, and anew only where each thread has its own. */
  #portsWith(hooks: CompiledHooks): Ports {
    if (this.#bound?.compiled !== hooks) {
      const bind: Ports['hooks'] = (facts, ports) => bindHooks(hooks, facts, ports);
      this.#bound = { compiled: hooks, ports: { ...this.#ports, hooks: bind, policies: hooks } };
    }
    return this.#bound.ports;
  }
}

const SINGLE_STEP: Partial<Rules> = Object.freeze({ singleStep: true });

const NO_PATH: readonly string[] = Object.freeze([]);

function none(): undefined {
  return undefined;
}
