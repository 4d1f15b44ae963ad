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
  readonly #base: number;
  /** `#heads[i]` covers the first `#base + i` messages. */
  readonly #heads: string[];
  readonly #layouts = new WeakMap<
    ChatRequest,
    { readonly before: number; readonly count: number }
  >();

  constructor(key: string, start: HistoryDigest = { count: 0, head: '' }) {
    this.#key = key;
    this.#base = start.count;
    this.#heads = [start.head];
  }

  /** Remembers that `count` messages of a request, after the first `before`, are the first of the history. */
  noteLayout(request: ChatRequest, before: number, count: number): void {
    if (count >= this.#base) this.#layouts.set(request, { before, count });
  }

  of(payload: unknown): string {
    return hmac(this.#key, canonicalJson(payload));
  }

  ofRequest(request: ChatRequest): string {
    const layout = this.#layouts.get(request);
    if (layout === undefined)
      return this.of({ messages: request.messages, settings: request.settings });
    const { before, count } = layout;
    const history = this.#headAt(request.messages, before, count);
    const rest = [...request.messages.slice(0, before), ...request.messages.slice(before + count)];
    return this.of({ history, rest, settings: request.settings });
  }

  /** True once something of the history has been digested. */
  get isMade(): boolean {
    return this.#base + this.#heads.length > 1;
  }

  /** The furthest point of the history that has been digested; what a store keeps to go on from. */
  get latest(): HistoryDigest {
    const last = this.#heads.length - 1;
    return { count: this.#base + last, head: this.#heads[last] ?? '' };
  }

  #headAt(messages: readonly Message[], before: number, count: number): string {
    for (let next = this.#base + this.#heads.length; next <= count; next += 1) {
      const previous = this.#heads[this.#heads.length - 1] ?? '';
      this.#heads.push(hmac(this.#key, previous + canonicalJson(messages[before + next - 1])));
    }
    return this.#heads[count - this.#base] ?? '';
  }
}
