import { ToolError } from '../errors/tool-error.ts';
import { failureOf, failureOutput } from '../errors/tool-failure.ts';
import { CancelScope } from '../internal/cancel-scope.ts';
import { deepFreeze } from '../internal/deep-freeze.ts';
import { isThenable } from '../internal/is-thenable.ts';
import { Later } from '../internal/later.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import { readText } from '../internal/read-text.ts';
import { toJson } from '../internal/to-json.ts';
import type { JsonValue } from '../protocol/json.ts';
import type { PreparedOperation } from '../protocol/operation.ts';
import type { ToolResult } from '../protocol/tool.ts';
import { reportsError } from '../protocol/tool-answer.ts';
import { withFiles } from '../protocol/with-files.ts';
import { givesJson, hasFiles, type OutputWithFiles } from '../tools/output-port.ts';
import type { ToolContext, ToolPort, ToolState } from '../tools/port.ts';
import { announceFirst } from './announce-call.ts';
import type { LateResult } from './background-calls.ts';
import { CANCELLED, notRunNow } from './call-outcomes.ts';
import { CallState } from './call-state.ts';
import type { CallSlots } from './capped-call.ts';
import { CHANGED } from './check-call.ts';
import { type Engine, isEngineTool } from './engine-tool.ts';
import { STILL_RUNNING } from './go-on.ts';
import { momentOf } from './moment-of.ts';
import type { OutcomeSaver } from './outcome-saver.ts';
import { recordLate } from './perform-commit.ts';
import type { Session } from './session.ts';
import type { BatchCall, OpenTurn } from './state.ts';
import { type ToolFailure, tellThrown } from './tell-thrown.ts';

/** Where in a turn a call is executed, and with what it stores what has to be known before its batch is over. */
export interface ExecutionPlace {
  readonly turn: OpenTurn;
  readonly attempt: number;
  readonly saver: OutcomeSaver;
  /** Asked when nothing is left to be done before the tool: what it gives is the result, and the tool does not run. */
  readonly begin?: () => ToolResult | undefined;
  /** The slots of a call that had to wait for some. */
  readonly slots?: CallSlots;
}

/** Runs one tool to one result, whatever it does: returns, throws, hangs past its limit, or ignores a cancel. */
export function executeCall(
  call: BatchCall,
  session: Session,
  place: ExecutionPlace,
): MaybePromise<ToolResult> {
  const tool = session.ports.tools.get(call.toolName);
  if (tool === undefined) return notRunNow(GONE, call, place);
  // What was judged and approved was another tool; after a crash nobody is asked again.
  if (tool.version !== call.toolVersion)
    return notRunNow(failure('invalid', failureOutput(CHANGED)), call, place);
  if (call.announce === undefined) return startTool(tool, call, { session, place });
  const about = { session, turn: place.turn, saver: place.saver };
  return announceFirst(call, about, () => startTool(tool, call, { session, place }));
}

function startTool(
  tool: ToolPort<never>,
  call: BatchCall,
  { session, place }: { readonly session: Session; readonly place: ExecutionPlace },
): MaybePromise<ToolResult> {
  const refusal = place.begin?.();
  if (refusal !== undefined) return refusal;
  const ctx = new CallContext(call, session, place);
  try {
    const isEngines = isEngineTool(tool);
    const isJson = givesJson(isEngines ? tool.runInEngine : tool.run);
    const answer = isEngines
      ? tool.runInEngine(call.effectiveInput, ctx, engineFor(ctx, session, place.turn))
      : tool.run(call.effectiveInput, ctx);
    if (isThenable(answer)) {
      // Once: the `then` of what is no promise may begin its work.
      const body = Promise.resolve(answer);
      place.slots?.keepUntil(body);
      return new RunningCall(call, session, ctx).settle(body, tool.timeoutMs, isJson);
    }
    ctx.end();
    return succeeded(answer, isJson);
  } catch (error) {
    ctx.end();
    return thrown(error, call, ctx);
  }
}

/** Made for the engine's own tools only, and reachable from nothing that the tool of an app is given. */
function engineFor(ctx: CallContext, session: Session, turn: OpenTurn): Engine {
  return {
    gate: session.gateFor(turn.turnId),
    moment: momentOf(turn, 1),
    // A tool that was given up on may go on; what it tells then would be heard after the end of its call.
    record: (body) => {
      if (!ctx.hasEnded) session.record(body, turn.turnId, turn.step);
    },
  };
}

/** Waits for the tool, its time limit or the cancel. What comes after that is recorded as late, never applied. */
class RunningCall {
  readonly #result = new Later<ToolResult>();
  readonly #call: BatchCall;
  readonly #session: Session;
  readonly #ctx: CallContext;
  #isOpen = true;
  #isJson = false;
  #timer: NodeJS.Timeout | undefined;
  #late: ((late: LateResult) => void) | undefined;
  readonly #startedAt: number;

  constructor(call: BatchCall, session: Session, ctx: CallContext) {
    this.#call = call;
    this.#session = session;
    this.#ctx = ctx;
    this.#startedAt = session.tick;
  }

  settle(
    answer: Promise<JsonValue | OutputWithFiles>,
    timeoutMs: number | undefined,
    isJson: boolean,
  ): Later<ToolResult> {
    this.#isJson = isJson;
    this.#session.passTime();
    this.#session.options.cancel.listen(this.#onCancel);
    if (this.#isOpen && this.#timer === undefined && timeoutMs !== undefined)
      this.#timer = setTimeout(() => this.#giveUp('timed-out'), timeoutMs);
    try {
      answer.then(this.#onOutput, this.#onError);
    } catch (error) {
      this.#onError(error);
    }
    return this.#result;
  }

  readonly #onCancel = (): void => {
    const { ports, threadId, options } = this.#session;
    const { callId, toolName } = this.#call;
    // Nobody comes back to the thread of a subagent.
    const goesOn =
      options.above === undefined && ports.tools.get(toolName)?.interruption === 'continue';
    // One whose time is over has been told to stop already.
    if (!goesOn || this.#ctx.wasCancelled) this.#giveUp('cancelled');
    else {
      this.#late = ports.background.add(threadId, callId, () => this.#giveUp('cancelled'));
      this.#end(STILL_RUNNING);
    }
  };

  readonly #onOutput = (output: JsonValue | OutputWithFiles): void => {
    let result: ToolResult;
    try {
      result = succeeded(output, this.#isJson);
    } catch (error) {
      result = this.#failed(error);
    }
    this.#arrive(result);
  };

  readonly #onError = (error: unknown): void => this.#arrive(this.#failed(error));

  #arrive(result: ToolResult): void {
    if (this.#isOpen) {
      this.#end(result);
      return;
    }
    this.#endLate(result);
    if (this.#call.sideEffects === 'once' && result.outcome !== 'unknown')
      void recordLate(this.#session, this.#call.callId, result);
  }

  #end(result: ToolResult): void {
    if (!this.#isOpen) {
      this.#endLate(result);
      return;
    }
    this.#isOpen = false;
    // One that goes on has no more time than any other.
    if (this.#timer !== undefined && this.#late === undefined) clearTimeout(this.#timer);
    this.#session.options.cancel.unlisten(this.#onCancel);
    this.#ctx.end();
    this.#result.resolve(result);
  }

  /** The first end of a call that went on is the one that is told. */
  #endLate(result: ToolResult): void {
    if (this.#late === undefined) return;
    clearTimeout(this.#timer);
    const durationMs = Math.round(this.#session.ports.clock.monotonic() - this.#startedAt);
    this.#late({ result, durationMs });
  }

  #giveUp(why: 'cancelled' | 'timed-out'): void {
    const isAgain = this.#ctx.wasCancelled;
    this.#ctx.cancel(why);
    if (this.#call.sideEffects !== 'once') this.#end(this.#lost(why));
    else if (!isAgain) {
      clearTimeout(this.#timer);
      const { cancelGraceMs } = this.#session.ports;
      this.#timer = setTimeout(() => this.#end(UNKNOWN_AFTER_CANCEL), cancelGraceMs);
    }
  }

  #lost(why: 'cancelled' | 'timed-out'): ToolResult {
    if (why === 'cancelled') return CANCELLED;
    this.#ctx.note({ eventText: 'timed out' });
    return failure('failed', failureOutput(LOST['timed-out']));
  }

  /** A `once` tool that was told to stop and failed may have done half of its work. */
  #failed(error: unknown): ToolResult {
    return this.#ctx.wasCancelled && this.#call.sideEffects === 'once'
      ? UNKNOWN_AFTER_CANCEL
      : thrown(error, this.#call, this.#ctx);
  }
}

const GONE = failure('unknown-tool', failureOutput('the tool is no longer there'));

const LOST = {
  'timed-out': 'Tool timed out',
  unknown:
    'Outcome unknown: the call was still running when it was given up. Do not repeat it before that has been checked',
} as const;

const UNKNOWN_AFTER_CANCEL: ToolResult = Object.freeze({
  outcome: 'unknown',
  isError: true,
  output: LOST.unknown,
});

/** What another kind of tool gave stays its own, and need not be JSON, also where it is frozen. */
export function succeeded(given: JsonValue | OutputWithFiles, isJson: boolean): ToolResult {
  const [output, files] = hasFiles(given) ? [given.output, given.files] : [given];
  const json = isJson ? output : deepFreeze(toJson(output));
  if (reportsError(json)) return failure('failed', json);
  // Frozen where a policy reads it.
  const result: ToolResult = { outcome: 'succeeded', isError: false, output: json };
  return files === undefined ? result : withFiles(result, files);
}

/** Never throws: a tool may throw anything. */
function thrown(error: unknown, call: BatchCall, ctx: CallContext): ToolResult {
  const { output, eventText } = failureOf(call.toolName, error);
  ctx.note({ error, ...(eventText !== undefined && { eventText }) });
  tellThrown(error, ctx);
  if (call.sideEffects !== 'once' || !ToolError.isInstance(error)) return failure('failed', output);
  const said = MAY_HAVE_RUN.get(readText(error, 'code') ?? '');
  if (said === undefined) return failure('failed', output);
  const [what, fix] = said;
  const words = readText(error, 'forModel')?.replace(/\.$/, '') ?? 'the tool did not say why';
  return failure('unknown', failureOutput(`${what}: ${words}. ${fix}`));
}

/** By code of a `ToolError`: what the model reads around its words of a call that must not run twice. */
const MAY_HAVE_RUN: ReadonlyMap<string, readonly [what: string, fix: string]> = new Map([
  [
    'unreadable-output',
    ['The call was carried out, but its result is of no use', 'Do not repeat the call'],
  ],
  ['outcome-unknown', ['Outcome unknown', 'Do not repeat it before that has been checked']],
]);

function failure(outcome: ToolResult['outcome'], output: JsonValue): ToolResult {
  return Object.freeze({ outcome, isError: true, output });
}

/** What a running tool may read. Its signal is made when it asks for it. */
export class CallContext implements ToolContext<never, never> {
  readonly threadId: string;
  readonly turnId: string;
  readonly callId: string;
  readonly toolName: string;
  readonly attempt: number;
  readonly context: never;
  readonly prepared?: PreparedOperation;
  readonly #session: Session;
  readonly #readsOnly: boolean;
  readonly #step: number;
  #ended = false;
  #state: CallState | undefined;
  #scope: CancelScope | undefined;

  constructor(
    call: BatchCall,
    session: Session,
    place: {
      readonly turn: OpenTurn;
      readonly attempt: number;
      /** Set where nothing is carried out: then nothing is written to the state either. */
      readonly readsOnly?: true;
    },
  ) {
    this.threadId = session.threadId;
    this.turnId = place.turn.turnId;
    this.callId = call.callId;
    this.toolName = call.toolName;
    this.attempt = place.attempt;
    this.context = session.options.context as never; // the type of the app's context is between the app and its tools
    this.#session = session;
    this.#step = place.turn.step;
    this.#readsOnly = place.readsOnly === true;
    const prepared = call.operation?.prepared;
    if (prepared !== undefined) this.prepared = prepared;
  }

  get sender(): JsonValue {
    return this.#session.options.facts.sender;
  }

  get channel(): JsonValue {
    return this.#session.options.facts.channel;
  }

  get session(): JsonValue {
    return this.#session.options.facts.session;
  }

  get idempotencyKey(): string {
    return this.#session.digest.of({ thread: this.threadId, call: this.callId });
  }

  get signal(): AbortSignal {
    return this.#cancellation.signal;
  }

  get wasCancelled(): boolean {
    return this.#scope?.cancelled ?? false;
  }

  get state(): ToolState<never> {
    this.#state ??= new CallState(
      this.#session.values,
      this.callId,
      () => this.#ended || this.#readsOnly,
    );
    // Which fields there are is between the schema and the tools; every write is checked.
    return this.#state as ToolState as ToolState<never>;
  }

  /** The tool may go on changing what it told, and is anybody's: what is told is JSON of its own. */
  get progress(): (data: JsonValue) => void {
    return (given) => this.#tell(given);
  }

  #tell(given: JsonValue): void {
    // The tool may have kept this; what it tells after its result would be heard after the end of its call.
    if (this.#ended) return;
    const { callId, toolName } = this;
    const data = toJson(given);
    this.#session.record(
      { type: 'tool.progress', callId, toolName, data },
      this.turnId,
      this.#step,
    );
  }

  get hasEnded(): boolean {
    return this.#ended;
  }

  end(): void {
    this.#ended = true;
  }

  /** Keeps what is known of a failure beside what the model reads of it. */
  note(failure: ToolFailure): void {
    this.#session.noteFailure(this.callId, failure);
  }

  cancel(reason: string): void {
    this.#cancellation.cancel(new DOMException(reason, 'AbortError'));
  }

  get #cancellation(): CancelScope {
    this.#scope ??= new CancelScope();
    return this.#scope;
  }
}
