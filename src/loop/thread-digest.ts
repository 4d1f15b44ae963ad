import { canonicalJson } from '../internal/canonical-json.ts';
import { hmac } from '../internal/hmac.ts';
import type { ChatRequest } from '../protocol/chat.ts';
import type { Message } from '../protocol/message.ts';

/** The digest of the first `count` messages of a thread. */
export interface HistoryDigest {
  readonly count: number;
  readonly head: string;
}

/**
 * HMACs of what policies judged, under a key of the thread. The history is chained message by message, so the
 * digest of a request costs what is new in it, however long the thread is.
 */
export class ThreadDigest {
  readonly #key: string;
  #base: number;
  /** `#heads[i]` covers the first `#base + i` messages. */
  #heads: string[];
  readonly #layouts = new WeakMap<
    ChatRequest,
    { readonly before: number; readonly from: number; readonly count: number }
  >();

  constructor(key: string, start: HistoryDigest = { count: 0, head: '' }) {
    this.#key = key;
    this.#base = start.count;
    this.#heads = [start.head];
  }

  /**
   * Remembers that a request has, after its first `before` messages, those of the thread after the first `from` up to
   * the first `count`.
   */
  noteLayout(
    request: ChatRequest,
    layout: { readonly before: number; readonly from: number; readonly count: number },
  ): void {
    if (layout.count >= this.#base && layout.from <= this.#base) this.#layouts.set(request, layout);
  }

  /** A summary stands for the first `count` messages: the chain begins after them, and the summary is beside it. */
  restart(count: number): void {
    this.#base = count;
    this.#heads = [''];
  }

  of(payload: unknown): string {
    return hmac(this.#key, canonicalJson(payload));
  }

  ofRequest(request: ChatRequest): string {
    const layout = this.#layouts.get(request);
    if (layout === undefined)
      return this.of({ messages: request.messages, settings: request.settings });
    const { before, from, count } = layout;
    const history = this.#headAt(request.messages, before - from, count);
    const after = before + count - from;
    const rest = [...request.messages.slice(0, before), ...request.messages.slice(after)];
    return this.of({ history, rest, settings: request.settings });
  }

  /** True once something of the history has been digested. */
  get isMade(): boolean {
    return this.#heads.length > 1 || this.#heads[0] !== '';
  }

  /** The furthest point of the history that has been digested; what a store keeps to go on from. */
  get latest(): HistoryDigest {
    const last = this.#heads.length - 1;
    return { count: this.#base + last, head: this.#heads[last] ?? '' };
  }

  /** `shift`: how far the place of a message in the list is from that in the thread. */
  #headAt(messages: readonly Message[], shift: number, count: number): string {
    for (let next = this.#base + this.#heads.length; next <= count; next += 1) {
      const previous = this.#heads[this.#heads.length - 1] ?? '';
      this.#heads.push(hmac(this.#key, previous + canonicalJson(messages[shift + next - 1])));
    }
    return this.#heads[count - this.#base] ?? '';
  }
}
