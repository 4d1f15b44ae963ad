import { channel } from 'node:diagnostics_channel';

/** What is known of a failed call beside its result: what was thrown stays in this process. */
export interface ToolFailure {
  readonly error?: unknown;
  /** What events may tell. */
  readonly eventText?: string;
}

/** Where a process listens to what its tools throw. */
const CHANNEL = channel('agent-hooks:tool.threw');

/**
 * Tells whoever listens in this process what a tool threw. It may hold anything, so it is told nowhere else: not to
 * the model, in no event, and in nothing that is stored.
 */
export function tellThrown(
  error: unknown,
  call: {
    readonly threadId: string;
    readonly turnId: string;
    readonly callId: string;
    readonly toolName: string;
  },
): void {
  if (!CHANNEL.hasSubscribers) return;
  const { threadId, turnId, callId, toolName } = call;
  CHANNEL.publish({ threadId, turnId, callId, toolName, error });
}
