import type { ToolResult } from '../protocol/tool.ts';

/** What became of a call that went on, and after how many milliseconds. */
export interface LateResult {
  readonly result: ToolResult;
  readonly durationMs: number;
}

interface Running {
  readonly settled: Promise<void>;
  readonly stop: () => void;
  late?: LateResult;
}

/** The calls of this process that go on after their turns, by thread. */
export class BackgroundCalls {
  readonly #threads = new Map<string, Map<string, Running>>();

  /** Takes a call over; what comes back is told of its end. `stop` asks the tool to end. */
  add(threadId: string, callId: string, stop: () => void): (late: LateResult) => void {
    let settle = (): void => undefined;
    const settled = new Promise<void>((resolve) => {
      settle = resolve;
    });
    const running: Running = { settled, stop };
    const calls = this.#threads.get(threadId) ?? new Map<string, Running>();
    this.#threads.set(threadId, calls.set(callId, running));
    return (late) => {
      running.late ??= late;
      settle();
    };
  }

  /** Nothing for a call that this process does not run. */
  find(threadId: string, callId: string): { readonly late?: LateResult } | undefined {
    return this.#threads.get(threadId)?.get(callId);
  }

  forget(threadId: string, callId: string): void {
    const calls = this.#threads.get(threadId);
    calls?.delete(callId);
    if (calls?.size === 0) this.#threads.delete(threadId);
  }

  /** Resolves when all of them have ended. */
  async drain(threadId: string): Promise<void> {
    const calls = [...(this.#threads.get(threadId)?.values() ?? [])];
    await Promise.all(calls.map(({ settled }) => settled));
  }

  /** Nobody will ask about the thread any more: what still runs is told to stop. */
  end(threadId: string): void {
    for (const { late, stop } of this.#threads.get(threadId)?.values() ?? [])
      if (late === undefined) stop();
    this.#threads.delete(threadId);
  }
}
