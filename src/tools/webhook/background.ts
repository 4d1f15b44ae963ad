import { channel } from 'node:diagnostics_channel';
import pLimit, { type LimitFunction } from 'p-limit';
import type { ToolContext } from '../port.ts';

/** Sends of one tool that are under way at the same time, where it does not say. */
const AT_ONCE = 8;

/** Where a process listens to what became of sends nobody waited for. */
const CHANNEL_NAME = 'agent-hooks:webhook.background-failed';
const CHANNEL = channel(CHANNEL_NAME);

type Call = Pick<ToolContext, 'threadId' | 'turnId' | 'callId' | 'toolName'>;

/** What goes on after its call was answered. */
export class Background {
  readonly #limit: LimitFunction;
  readonly #pending = new Map<Promise<void>, string>();

  /** What the tool says of its calls holds for these: they are what reaches the service. */
  constructor(atOnce: number = AT_ONCE) {
    this.#limit = pLimit(atOnce);
  }

  send(work: () => Promise<unknown>, { threadId, turnId, callId, toolName }: Call): void {
    const pending = this.#limit(work).then(
      () => undefined,
      (error: unknown) => tellFailed(error, { threadId, turnId, callId, toolName }),
    );
    this.#pending.set(pending, threadId);
    void pending.finally(() => this.#pending.delete(pending));
  }

  /** What is sent while it waits is waited for, too. */
  async drain(threadId?: string): Promise<void> {
    for (;;) {
      const waited = [...this.#pending].filter(
        ([, own]) => threadId === undefined || own === threadId,
      );
      if (waited.length === 0) return;
      await Promise.all(waited.map(([pending]) => pending));
    }
  }
}

/** The call has its answer, so no model and no event may hear of it: the log of the process is what is left. */
function tellFailed(error: unknown, call: Call): void {
  CHANNEL.publish({ ...call, error });
  process.emitWarning(`a background send of '${call.toolName}' failed`, {
    code: 'AGENT_HOOKS_WEBHOOK',
    detail: `call '${call.callId}'; listen to the channel '${CHANNEL_NAME}' for the error`,
  });
}
