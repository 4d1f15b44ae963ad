import type { WindowGate, WindowVerdict } from '../hooks/gate.ts';
import { isThenable } from '../internal/is-thenable.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';

/** What ended an answer, or a cancel that came while its text was judged. */
export type TextStop = Exclude<WindowVerdict, { readonly type: 'release' }>;

/** Where text goes that was let go, and what hears of an answer that ends here. */
export interface TextOutlet {
  readonly release: (text: string) => void;
  readonly stop: (stop: TextStop) => void;
  /** A part of the engine broke while it asked. */
  readonly fail: (error: unknown) => void;
}

/** How many pieces of an answer are read while a policy is asked about those before. */
const READ_AHEAD = 64;

/**
 * The text of one answer on its way to the reader. Invariants:
 *
 * W1  A character leaves only after every policy has let it go, and in the order the model wrote it.
 * W2  One question at a time; what comes while it is asked is judged together, and bounded.
 * W3  After a stop, or once the model has finished or failed, nothing leaves on the word of a window.
 * W4  Neither a window nor what leaves ends within a surrogate pair.
 */
export class HeldText {
  readonly #windows: WindowGate;
  readonly #outlet: TextOutlet;
  #before = '';
  #held = '';
  /** How much of what is held has been asked about. */
  #judged = 0;
  #asking: Promise<void> | undefined;
  #ahead = 0;
  /** Counts beginnings: what was asked about a forgotten text means nothing. */
  #beginning = 0;
  #stop: TextStop | undefined;
  #closed = false;

  constructor(windows: WindowGate, outlet: TextOutlet) {
    this.#windows = windows;
    this.#outlet = outlet;
  }

  /** Takes a piece of the answer. What is not text is never shown, and counts as read. */
  add(text: string): Promise<void> | undefined {
    if (this.#closed) return undefined;
    this.#held += text;
    if (this.#asking === undefined) this.#ask();
    if (this.#asking === undefined) return undefined;
    this.#ahead += 1;
    return this.#ahead > READ_AHEAD ? this.#asking : undefined;
  }

  /** The model begins again: nothing of what came before is part of the answer. */
  forget(): void {
    this.#before = '';
    this.#held = '';
    this.#judged = 0;
    this.#beginning += 1;
  }

  /** The model has finished or failed, or nobody waits for it any more. */
  close(): void {
    this.#closed = true;
  }

  /** Asks about the whole text of a closed answer, once the question that is open is answered. */
  finish(whole: string): MaybePromise<WindowVerdict> {
    return this.#asking === undefined
      ? this.#last(whole)
      : this.#asking.then(() => this.#last(whole));
  }

  /** What of the whole text has not left. */
  restOf(whole: string): string {
    return whole.slice(this.#before.length);
  }

  #last(whole: string): MaybePromise<WindowVerdict> {
    if (this.#stop !== undefined) return this.#stop;
    const released = this.#before.length;
    return this.#windows.ask({
      text: this.restOf(whole),
      before: whole.slice(0, released),
      released,
      isFinal: true,
    });
  }

  #ask(): void {
    const text = wholeCharacters(this.#held);
    if (text.length <= this.#judged) return;
    this.#judged = text.length;
    this.#ahead = 0;
    const before = this.#before;
    const window = { text, before, released: before.length, isFinal: false };
    const verdict = this.#windows.ask(window);
    if (!isThenable(verdict)) {
      this.#take(verdict, text);
      return;
    }
    const beginning = this.#beginning;
    this.#asking = Promise.resolve(verdict).then((late) => {
      this.#asking = undefined;
      if (beginning === this.#beginning) this.#take(late, text);
      if (!this.#closed) this.#ask(); // W2
    });
    this.#asking.catch(this.#outlet.fail);
  }

  #take(verdict: WindowVerdict, text: string): void {
    if (verdict.type !== 'release') {
      this.#stop = verdict;
      if (!this.#closed) this.#outlet.stop(verdict);
      this.#closed = true;
      return;
    }
    if (this.#closed) return; // W3
    const released = wholeCharacters(text.slice(0, verdict.chars)); // W4
    if (released === '') return;
    this.#before += released;
    this.#held = this.#held.slice(released.length);
    this.#judged -= released.length;
    this.#outlet.release(released);
  }
}

/**
 * Leaves the first half of a character at the end for later. A half anywhere else is none of a character that is
 * still to come, and reads as it will in the message.
 */
function wholeCharacters(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  const isCut = last >= 0xd800 && last <= 0xdbff;
  return (isCut ? text.slice(0, -1) : text).toWellFormed();
}
