import type { ToolResult } from '../protocol/tool.ts';
import type { AnnouncedCalls, ThreadMarks } from './after-call-state.ts';
import type { ThreadState } from './state.ts';

/** What was announced since the state was made: what the batch that runs will leave in it. */
export class Announced {
  readonly #lines: Map<string, number>;
  readonly #calls = new Map<string, 'done' | 'refused'>();
  readonly #begun = new Map<string, Promise<ToolResult | undefined>>();
  readonly #tookMs = new Map<string, number>();
  #counts = false;
  #last: Promise<unknown> = Promise.resolve();

  constructor(lines: ThreadMarks['lines'] = {}) {
    this.#lines = new Map(Object.entries(lines));
  }

  /** How often lines of this slot were said. */
  turnOf(slot: string): number {
    return this.#lines.get(slot) ?? 0;
  }

  said(slot: string): void {
    this.#lines.set(slot, this.turnOf(slot) + 1);
    this.#counts = true;
  }

  done(callId: string): void {
    this.#calls.set(callId, 'done');
  }

  /** It may be tried again, with another input. */
  refused(callId: string): void {
    this.#calls.set(callId, 'refused');
  }

  /** Once a call, however often a policy has it run: a later attempt waits for the first. */
  async once(
    callId: string,
    announce: () => Promise<ToolResult | undefined>,
  ): Promise<ToolResult | undefined> {
    const begun = this.#begun.get(callId) ?? announce();
    this.#begun.set(callId, begun);
    const instead = await begun;
    if (this.#calls.get(callId) === 'refused') this.#begun.delete(callId);
    return instead;
  }

  /** Runs one after the other. What it is given never rejects. */
  inTurn<Value>(say: () => Promise<Value>): Promise<Value> {
    const saying = this.#last.then(say);
    this.#last = saying;
    return saying;
  }

  took(callId: string, ms: number): void {
    this.#tookMs.set(callId, this.tookMs(callId) + ms);
  }

  /** Milliseconds that went by over what was said, which are none of the tool's. */
  tookMs(callId: string): number {
    return this.#tookMs.get(callId) ?? 0;
  }

  get calls(): AnnouncedCalls {
    return {
      calls: Object.fromEntries(this.#calls),
      ...(this.#counts && { lines: Object.fromEntries(this.#lines) }),
    };
  }
}

/** The state with what was announced meanwhile. */
export function withAnnounced(state: ThreadState, announced: AnnouncedCalls): ThreadState {
  const { phase } = state;
  if (phase.name !== 'running') return state;
  const marks = new Map(Object.entries(announced.calls));
  const calls = phase.batch.calls.map((call) => {
    const announce = marks.get(call.callId);
    return announce === undefined ? call : { ...call, announce };
  });
  const { lines } = announced;
  return {
    ...state,
    ...(lines !== undefined && { lines }),
    phase: { ...phase, batch: { ...phase.batch, calls } },
  };
}
