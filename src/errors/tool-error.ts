import { AgentHooksError } from './base.ts';

/**
 * `tool-failed`: the tool did not do what it was called for. `unreadable-output`: it did, and only what it
 * returned is of no use; a call that must not run twice then counts as one of unknown outcome.
 */
export type ToolErrorCode = 'tool-failed' | 'unreadable-output';

/**
 * Thrown inside `execute` to tell the model, in words made for it, why the tool failed. The text of any other
 * error a tool throws reaches the model cut to 500 characters and with what looks like a secret taken out.
 */
export class ToolError extends AgentHooksError {
  readonly code: ToolErrorCode;
  /** What the model reads. */
  readonly forModel: string;

  constructor(
    forModel: string,
    options: { readonly cause?: unknown; readonly code?: ToolErrorCode } = {},
  ) {
    // A caller without types may have passed anything, and what a model reads is stored.
    const what = typeof forModel === 'string' ? forModel.toWellFormed() : SAID_NOTHING;
    super(
      { where: 'tool', what, fix: 'The model reads this and may try again' },
      'cause' in options ? { cause: options.cause } : undefined,
    );
    this.name = 'ToolError';
    this.code = options.code ?? 'tool-failed';
    this.forModel = what;
  }
}

const SAID_NOTHING = 'the tool failed and did not say why';

/**
 * A tool call failed, as `onError` is asked about it and as it is the `error` of a turn that ends over it. The
 * message quotes nothing of the call: `forModel` is what the model would read.
 */
export class ToolCallError extends AgentHooksError {
  readonly code = 'tool-failed';
  readonly toolName: string;
  readonly callId: string;
  /** The result of the call as text, after `postToolUse`. Empty for a result that is no text. */
  readonly forModel: string;

  constructor(call: {
    readonly toolName: string;
    readonly callId: string;
    readonly forModel: string;
  }) {
    super({
      where: `tool '${call.toolName}', call '${call.callId}'`,
      what: 'the call failed',
      fix: 'See `forModel` and the tool itself; a call is never run again by the engine',
    });
    this.name = 'ToolCallError';
    this.toolName = call.toolName;
    this.callId = call.callId;
    this.forModel = call.forModel;
  }
}
