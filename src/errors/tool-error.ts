import { AgentHooksError, type ErrorText } from './base.ts';

/**
 * Thrown inside `execute` to tell the model, in words made for it, why the tool failed. The text of any other
 * error a tool throws reaches the model cut to 500 characters and with what looks like a secret taken out.
 */
export class ToolError extends AgentHooksError {
  readonly code = 'tool-failed';
  /** What the model reads. */
  readonly forModel: string;

  constructor(forModel: string, options?: { readonly cause?: unknown }) {
    const text: ErrorText = {
      where: 'tool',
      what: forModel,
      fix: 'The model reads this and may try again',
    };
    super(text, options);
    this.name = 'ToolError';
    this.forModel = forModel;
  }
}
