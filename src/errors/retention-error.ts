import { AgentHooksError } from './base.ts';

/** A `redact` threw or gave no text. Nothing was changed. `cause` is what it threw. */
export class RedactionError extends AgentHooksError {
  readonly code = 'redaction-failed';

  constructor(threadId: string, what: string, options?: { readonly cause?: unknown }) {
    super(
      {
        where: `redactThread of '${threadId}'`,
        what,
        fix: 'Return a text for every text, at once; nothing was changed',
      },
      options,
    );
    this.name = 'RedactionError';
  }
}

/** Lines that are no whole export of a thread. Nothing was written. The message never quotes a line. */
export class ThreadImportError extends AgentHooksError {
  readonly code = 'invalid-import';
  /** The line that is wrong, from 1; one more than there are where the end is missing. */
  readonly line: number;

  constructor(line: number, what: string, fix = 'Export the thread again; nothing was written') {
    super({ where: `line ${line} of the import`, what, fix });
    this.name = 'ThreadImportError';
    this.line = line;
  }
}
