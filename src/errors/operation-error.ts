import { type OperationErrorCode, ToolError } from './tool-error.ts';

/**
 * An operation of a listen tool was not carried out. `execute` throws it for an operation that is not what the call
 * names any more: `operation-stale` for another revision, `operation-expired` when its time is over. The engine makes
 * the others. The model reads the words of the code; they quote nothing of the operation.
 */
export class OperationError extends ToolError {
  constructor(code: OperationErrorCode, options: { readonly cause?: unknown } = {}) {
    const words = WORDS[code] ?? 'The operation was not carried out';
    super(words, { ...options, code, eventText: words });
    this.name = 'OperationError';
  }
}

const WORDS: { readonly [code in OperationErrorCode]: string } = {
  'operation-not-ready': 'The updates ended before operation became ready. Nothing was carried out',
  'operation-too-many-updates':
    'The preparation exceeded max updates before it was ready. Nothing was carried out',
  'operation-timed-out': 'The preparation took too long. Nothing was carried out',
  'operation-expired': 'The operation has expired. Nothing was carried out; prepare it anew',
  'operation-stale':
    'The operation is no longer what was shown and judged. Nothing was carried out; prepare it anew',
  'operation-invalid-update':
    'The tool told of its operation what cannot be read. Nothing was carried out',
  'operation-not-stored': 'The operation could not be stored. Nothing was carried out',
};
