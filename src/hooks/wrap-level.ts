import type { HookError, HookFailureKind } from '../errors/hook-error.ts';
import { isThenable } from '../internal/is-thenable.ts';
import { jsonEqual } from '../internal/json-equal.ts';
import type { ChatRequest, ChatStreamPart } from '../protocol/chat.ts';
import { readStreamPart } from '../protocol/read-stream-part.ts';
import { Ask, type FailureFacts } from './ask.ts';
import type { Rewrite } from './chain.ts';
import type { HookEntry } from './entry.ts';
import { JudgedLevel } from './judged-level.ts';
import { type Caller, Level, type Nest, type Pull } from './level.ts';
import { recordDecision, recordFailure } from './record.ts';
import { rewriteRequest } from './rewrite-request.ts';
import { WrapClock } from './wrap-clock.ts';

/** One policy around a model call. Reads every part it gives, and answers for what it does wrong. */
export class WrapLevel extends Level implements Caller {
  readonly #ask: Ask;
  readonly #index: number;
  readonly #request: ChatRequest;
  readonly #clock: WrapClock;
  /** What it opened with `next`. */
  readonly #below: Level[] = [];
  #iterator: AsyncIterator<unknown> | undefined;
  /** How many questions it has asked the level below and waits for. */
  #inside = 0;
  /** True once it has given a part, or read one: it can no longer be as if it were not there. */
  #isPartOfIt = false;
  #isFinished = false;
  #hasPassed = false;
  #failure: HookError | undefined;
  /** True once it has failed where that is open: what is below takes its place. */
  #isAbsent = false;

  constructor(
    nest: Nest,
    caller: Caller | undefined,
    at: { readonly entry: HookEntry; readonly index: number; readonly request: ChatRequest },
  ) {
    super(nest, caller);
    const { run, point, moment } = nest.setting;
    this.#index = at.index;
    this.#request = at.request;
    this.#ask = new Ask(run, at.entry, { point, payload: at.request, moment, recheck: false });
    this.#clock = new WrapClock(run, at.entry.timeoutMs, () => this.#pass());
  }

  entered(): void {
    this.#inside += 1;
    this.#isPartOfIt = true;
    this.#setClock();
  }

  left(): void {
    this.#inside -= 1;
    this.#setClock();
  }

  override answered(pull: Pull): void {
    super.answered(pull);
    this.#setClock();
  }

  protected override produce(pull: Pull): void {
    this.#setClock();
    let iterator: AsyncIterator<unknown> | undefined;
    let answer: unknown;
    try {
      iterator = this.#iterator ?? this.#start();
      answer = iterator?.next();
    } catch (cause) {
      if (pull.isOpen && !this.#isAbsent) this.#fail('threw', { cause });
      return;
    }
    if (iterator !== undefined) this.#wait(pull, iterator, answer);
  }

  protected override release(): void {
    this.#clock.turn(false);
    // Whoever reads no further than the last part has had the whole answer.
    if (this.#isFinished && this.nest.over === undefined) this.#ask.end();
    if (!this.#ask.isOver) this.#ask.interrupt(this.nest.over);
    this.#leave();
  }

  /** The policy's own stream; nothing when it has failed while it was called. */
  #start(): AsyncIterator<unknown> | undefined {
    const given = this.#ask.call(this.#request, this.#next);
    if (this.#ask.isOver) return undefined;
    if (isThenable(given)) {
      Promise.resolve(given).catch((cause: unknown) => this.#late(cause));
      this.#fail('illegal', { detail: 'the answer is a promise', fix: FIX });
      return undefined;
    }
    const open: unknown =
      typeof given === 'object' && given !== null ? Reflect.get(given, Symbol.asyncIterator) : null;
    const iterator: unknown = typeof open === 'function' ? Reflect.apply(open, given, []) : null;
    if (typeof iterator !== 'object' || iterator === null || !('next' in iterator)) {
      this.#fail('illegal', { detail: 'the answer is no async iterable', fix: FIX });
      return undefined;
    }
    this.#iterator = iterator as AsyncIterator<unknown>; // Whether `next` can be called shows when it is.
    return this.#iterator;
  }

  /** What the policy calls to go on. */
  readonly #next = (given: ChatRequest): AsyncIterable<ChatStreamPart> => {
    const index = this.#index + 1;
    const request = this.#read(given);
    const child =
      request === this.#request
        ? this.nest.open(index, request, this)
        : new JudgedLevel(this.nest, this, { index, request });
    this.#below.push(child);
    // Who asks when it is over gets nothing more, and nothing is called.
    if (this.closed || this.#ask.isOver) child.close();
    return child;
  };

  #read(given: ChatRequest): ChatRequest {
    if (given === this.#request) return given;
    const read = this.#readAnother(given);
    if ('value' in read) return read.value;
    const detail = `\`next\` was given a request that does not fit: ${read.problem}`;
    const error = this.#ask.error('invalid-rewrite', { detail });
    // It ends the call whatever the policy makes of the throw.
    if (!this.#ask.isOver) this.#failWith(error);
    throw error;
  }

  #readAnother(given: unknown): Rewrite<ChatRequest> {
    try {
      if (typeof given !== 'object' || given === null) return { problem: 'it is no request' };
      // Every member is read below.
      const decision = { type: 'modify', request: given as ChatRequest } as const;
      const read = rewriteRequest(this.#request, decision);
      if ('problem' in read) return read;
      if (jsonEqual(read.value, this.#request)) return { value: this.#request };
      if (!this.#ask.isOver) recordDecision(this.#ask, MODIFY);
      return read;
    } catch {
      return { problem: 'it cannot be read' };
    }
  }

  #wait(pull: Pull, from: AsyncIterator<unknown>, answer: unknown): void {
    Promise.resolve(answer).then(
      (result) => this.#take(pull, from, result),
      (cause: unknown) => this.#takeThrown(pull, from, cause),
    );
  }

  /** True for an answer that nobody waits for any more, or that is not asked for from there. */
  #isLate(pull: Pull, from: AsyncIterator<unknown>): boolean {
    return !pull.isOpen || from !== this.#iterator;
  }

  #take(pull: Pull, from: AsyncIterator<unknown>, result: unknown): void {
    if (this.#isLate(pull, from)) {
      if (this.#hasPassed) this.#late(undefined);
      return;
    }
    if (this.#clock.isDue) {
      this.#pass();
      this.#late(undefined);
      return;
    }
    if (this.#ask.fault !== undefined && !this.#isAbsent) {
      this.#fail('illegal');
      return;
    }
    let done: unknown;
    let value: unknown;
    try {
      ({ done, value } = result as IteratorResult<unknown>); // What a policy gives may be anything, and then throws here.
    } catch (cause) {
      this.#fail('illegal', { cause });
      return;
    }
    if (done === true) this.#takeEnd();
    else this.#takePart(pull, value);
  }

  #takeEnd(): void {
    if (!this.#isFinished) {
      this.#fail('illegal', { detail: 'the stream ended without a `finish` part', fix: FIX });
      return;
    }
    this.#finish();
  }

  #takePart(pull: Pull, value: unknown): void {
    const { known } = this.nest;
    const read = isKnown(value, known) ? { part: value } : readStreamPart(value);
    if ('problem' in read) {
      const detail = `a part of the stream is no ChatStreamPart: ${read.problem}`;
      this.#fail('illegal', { detail, fix: FIX });
      return;
    }
    if (this.#isFinished) {
      const detail = 'the stream went on after its `finish` part';
      this.#fail('illegal', { detail, fix: FIX });
      return;
    }
    const { part } = read;
    known.add(part);
    if (part.type === 'finish') this.#isFinished = true;
    this.#isPartOfIt = true;
    pull.give(part);
  }

  #takeThrown(pull: Pull, from: AsyncIterator<unknown>, cause: unknown): void {
    if (this.#isLate(pull, from)) {
      this.#late(cause);
    } else if (this.#clock.isDue) {
      this.#pass();
      this.#late(cause);
    } else if (this.#ask.fault === undefined && this.nest.thrown.has(cause)) {
      pull.fail(cause);
      this.#finish();
    } else {
      this.#fail('threw', { cause });
    }
  }

  /** It has ended by itself: there is nothing to interrupt and nothing to take back. */
  #finish(): void {
    this.#ask.end();
    this.#iterator = undefined;
    this.close();
  }

  #pass(): void {
    this.#hasPassed = true;
    this.#fail('timed-out');
  }

  #fail(kind: HookFailureKind, facts?: FailureFacts): void {
    this.#failWith(this.#ask.fault ?? this.#ask.error(kind, facts));
  }

  #failWith(error: HookError): void {
    const open = this.#ask.entry.failure === 'open' && !this.#isPartOfIt;
    this.#failure = error;
    recordFailure(this.#ask, error, { open });
    this.#ask.interrupt(error);
    if (open) this.#stepAside();
    else this.nest.end({ type: 'failed', error });
  }

  #stepAside(): void {
    this.#isAbsent = true;
    this.#leave();
    const below = this.nest.open(this.#index + 1, this.#request, this);
    this.#below.push(below);
    this.#iterator = below;
    for (const pull of [...this.pulls]) this.#wait(pull, below, below.next());
  }

  /** Ends the policy's stream and what it opened. That its end fails is told, and changes nothing. */
  #leave(): void {
    const iterator = this.#iterator;
    this.#iterator = undefined;
    try {
      Promise.resolve(iterator?.return?.()).catch((cause: unknown) => this.#late(cause));
    } catch (cause) {
      this.#late(cause);
    }
    for (const level of this.#below) level.close();
  }

  /** Records what came when nobody waited for it any more: what was thrown, or `undefined` for an answer. */
  #late(cause: unknown): void {
    const { thrown, over } = this.nest;
    // It throws on what it was told the call was over with.
    if (cause !== undefined && (cause === over || cause === this.#failure || thrown.has(cause)))
      return;
    this.#ask.late(
      cause === undefined ? { type: 'answered', value: undefined } : { type: 'rejected', cause },
      'cancelled',
    );
  }

  #setClock(): void {
    const works = this.pulls.size > 0 && this.#inside === 0;
    this.#clock.turn(works && !this.closed && !this.#isAbsent);
  }
}

const MODIFY = Object.freeze({ type: 'modify' });

const FIX =
  'Write `async *wrapLlmCall(request, next, ctx)` and yield ChatStreamPart values, one `finish` part last';

function isKnown(value: unknown, known: WeakSet<object>): value is ChatStreamPart {
  return typeof value === 'object' && value !== null && known.has(value);
}
