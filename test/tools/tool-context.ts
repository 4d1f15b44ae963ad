import type { StateValues } from '../../src/protocol/state-values.ts';
import type { ToolContext } from '../../src/tools/port.ts';

export function toolContext<Context>(context: Context): ToolContext<Context, StateValues> {
  return {
    threadId: 'thread',
    turnId: 'turn',
    callId: 'turn.1.0',
    toolName: 'tool',
    idempotencyKey: 'thread/turn.1.0',
    attempt: 1,
    signal: new AbortController().signal,
    progress: () => undefined,
    sender: null,
    channel: null,
    session: null,
    state: { get: () => undefined, set: () => undefined },
    context,
  };
}
