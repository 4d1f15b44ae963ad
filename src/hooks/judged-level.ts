import { isThenable } from '../internal/is-thenable.ts';
import type { ChatRequest } from '../protocol/chat.ts';
import type { ChainVerdict } from './gate.ts';
import { type Caller, Level, type Nest, type Pull } from './level.ts';

/** What is below a policy that gave another request to `next`: opened when that request has passed. */
export class JudgedLevel extends Level {
  readonly #index: number;
  readonly #request: ChatRequest;
  #inner: Level | undefined;
  /** Who has asked for a part before there was a verdict. */
  #waiting: Pull[] | undefined;

  constructor(
    nest: Nest,
    caller: Caller,
    { index, request }: { readonly index: number; readonly request: ChatRequest },
  ) {
    super(nest, caller);
    this.#index = index;
    this.#request = request;
  }

  protected override produce(pull: Pull): void {
    if (this.#inner !== undefined) this.#read(this.#inner, pull);
    else if (this.#waiting !== undefined) this.#waiting.push(pull);
    else {
      this.#waiting = [pull];
      const verdict = this.nest.judge(this.#request);
      if (isThenable(verdict)) {
        verdict.then(
          (late) => this.#take(late),
          (error: unknown) => pull.fail(error),
        );
      } else this.#take(verdict);
    }
  }

  protected override release(): void {
    this.#inner?.close();
  }

  #take(verdict: ChainVerdict<ChatRequest>): void {
    if (this.closed) return;
    switch (verdict.type) {
      case 'pass': {
        const inner = this.nest.open(this.#index, this.#request, undefined);
        this.#inner = inner;
        for (const pull of this.#waiting ?? []) this.#read(inner, pull);
        return;
      }
      case 'retry-with-feedback':
        throw new TypeError('a request cannot be answered with retry-with-feedback');
      default:
        this.nest.end(verdict);
    }
  }

  #read(inner: Level, pull: Pull): void {
    inner.next().then(
      (result) => (result.done === true ? pull.done() : pull.give(result.value)),
      (error: unknown) => pull.fail(error),
    );
  }
}
