import { joinLists } from '../internal/join-lists.ts';
import type { Message } from '../protocol/message.ts';
import type { Summary } from './compaction-state.ts';
import { summaryMessage } from './summary-message.ts';

/**
 * The messages of a thread as this process knows them. Positions are those of the whole thread, whatever a summary
 * stands for (L10). What it stands for is kept here only as far as a turn that is still open has to tell of it.
 */
export class ThreadHistory {
  /** The messages before the context: of those the summary stands for, the ones this process has read. */
  #covered: Message[] = [];
  /** What the model reads: the summary, if there is one, and what follows it. */
  #context: Message[];
  #summary: Summary | undefined;
  #view: readonly Message[] | undefined;
  /** What the context was put after the last time, and both as one list: a slice of it is what most requests read. */
  #before: readonly Message[] | undefined;
  #whole: Message[] = [];

  /** `messages` are those after the first `from`. */
  constructor(
    summary: Summary | undefined,
    { from, messages }: { readonly from: number; readonly messages: readonly Message[] },
  ) {
    this.#context = [...messages];
    if (summary !== undefined) this.#cover(summary, summary.upTo - from);
  }

  /** How many messages the thread has. */
  get count(): number {
    return this.upTo + this.#context.length - this.#head;
  }

  /** How many of them the summary stands for. */
  get upTo(): number {
    return this.#summary?.upTo ?? 0;
  }

  /** What the model reads, as policies see it: frozen, and copied once per change, not once per reader. */
  get context(): readonly Message[] {
    this.#view ??= Object.freeze([...this.#context]);
    return this.#view;
  }

  get last(): Message | undefined {
    return this.#context.at(-1);
  }

  append(messages: readonly Message[]): void {
    if (messages.length === 0) return;
    this.#context.push(...messages);
    if (this.#before !== undefined) this.#whole.push(...messages);
    this.#view = undefined;
  }

  /** Puts the context between two lists in one fresh array. */
  between(before: readonly Message[], after: readonly Message[]): readonly Message[] {
    if (after.length > 0) return joinLists([before, this.#context, after]);
    if (this.#before !== before) {
      this.#whole = [...before, ...this.#context];
      this.#before = before;
    }
    return this.#whole.slice();
  }

  /** The messages after the first `position`, as far as this process has read them. */
  after(position: number): readonly Message[] {
    const own = Math.max(0, position - this.upTo) + this.#head;
    if (position >= this.upTo) return this.#context.slice(own);
    const missing = this.#covered.length - (this.upTo - position);
    return [...this.#covered.slice(Math.max(0, missing)), ...this.#context.slice(this.#head)];
  }

  /** A summary takes the place of the messages it stands for, and of the summary before it. */
  adopt(summary: Summary): void {
    if (summary === this.#summary) return;
    const covered = summary.upTo - this.upTo;
    this.#context = this.#context.slice(this.#head);
    this.#cover(summary, covered);
  }

  /** Whether the context begins with a summary. */
  get #head(): number {
    return this.#summary === undefined ? 0 : 1;
  }

  #cover(summary: Summary, count: number): void {
    const [covered, rest] = [this.#context.slice(0, count), this.#context.slice(count)];
    this.#covered.push(...covered);
    this.#context = [summaryMessage(summary), ...rest];
    this.#summary = summary;
    this.#view = undefined;
    this.#before = undefined;
  }
}
