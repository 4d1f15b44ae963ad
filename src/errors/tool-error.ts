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
