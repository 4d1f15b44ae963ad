import { deepFreeze } from '../internal/deep-freeze.ts';
import type { ChatRequest, ChatStreamPart } from '../protocol/chat.ts';
import { CANCELLED } from './ask.ts';
import type { ChainSetting } from './chain.ts';
import type { WrappedCall } from './gate.ts';
import { type Caller, Level, type Nest, type Pull } from './level.ts';
import { WrapLevel } from './wrap-level.ts';

/** What is below the innermost policy. */
export interface ModelCore {
  readonly call: (request: ChatRequest) => AsyncIterable<ChatStreamPart>;
  /** Asks `preLlmRequest` about a request that a policy put in the place of the one that was judged. */
  readonly judge: Nest['judge'];
}

/**
 * One model call with its policies around it: levels, each of which reads the one below it. Invariants:
 *
 * N1  The model gets no request that `preLlmRequest` has not passed.
 * N2  A closed failure, a Block or a cancel ends the call for every level at once, and nothing undoes it.
 * N3  What the model throws is its own failure, whichever levels it passes through; all else is the policy's.
 * N4  Nothing that was opened stays open when the call is over.
 */
export class WrappedModelCall implements WrappedCall, Nest {
  readonly parts: Level;
  readonly setting: ChainSetting;
  readonly judge: Nest['judge'];
  readonly known: WeakSet<object> = new WeakSet();
  readonly thrown: Set<unknown> = new Set();
  readonly #core: ModelCore;
  readonly #pulls = new Set<Pull>();
  #ending: WrappedCall['ending'];
  #over: Error | undefined;

  constructor(setting: ChainSetting, request: ChatRequest, core: ModelCore) {
    this.setting = setting;
    this.#core = core;
    this.judge = core.judge;
    this.parts = this.open(0, deepFreeze(request), undefined);
    setting.run.ports.cancel.listen(this.#onCancel);
  }

  get ending(): WrappedCall['ending'] {
    return this.#ending;
  }

  get over(): Error | undefined {
    return this.#over;
  }

  open(index: number, request: ChatRequest, caller: Caller | undefined): Level {
    const entry = this.setting.entries[index];
    return entry === undefined
      ? new CoreLevel(this, caller, () => this.#core.call(request))
      : new WrapLevel(this, caller, { entry, index, request });
  }

  begin(pull: Pull): void {
    this.#pulls.add(pull);
  }

  settled(pull: Pull): void {
    this.#pulls.delete(pull);
  }

  end(ending: Exclude<WrappedCall['ending'], undefined>): void {
    if (this.#over !== undefined) return;
    this.#ending = ending;
    this.#close(ending.type === 'failed' ? ending.error : aborted());
  }

  close(): void {
    if (this.#over === undefined) this.#close(aborted());
  }

  #close(over: Error): void {
    this.#over = over; // N2
    this.setting.run.ports.cancel.unlisten(this.#onCancel);
    for (const pull of [...this.#pulls]) pull.fail(over);
    this.parts.close(); // N4
  }

  readonly #onCancel = (): void => this.end(CANCELLED);
}

/** Tells a policy that still waits for a call that it is over. */
function aborted(): Error {
  return new DOMException('the model call is over', 'AbortError');
}

/** The model itself. What it gives has been read where it came from. */
class CoreLevel extends Level {
  readonly #open: () => AsyncIterable<ChatStreamPart>;
  #iterator: AsyncIterator<ChatStreamPart> | undefined;

  constructor(nest: Nest, caller: Caller | undefined, open: () => AsyncIterable<ChatStreamPart>) {
    super(nest, caller);
    this.#open = open;
  }

  protected override produce(pull: Pull): void {
    this.#iterator ??= this.#open()[Symbol.asyncIterator]();
    this.#iterator.next().then(
      (result) => {
        if (result.done !== true) this.nest.known.add(result.value);
        if (result.done === true) pull.done();
        else pull.give(result.value);
      },
      (error: unknown) => {
        this.nest.thrown.add(error); // N3
        pull.fail(error);
        this.close();
      },
    );
  }

  protected override release(): void {
    void this.#iterator?.return?.();
  }
}
