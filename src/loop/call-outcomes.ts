import type { ToolResult } from '../protocol/tool.ts';

export const CANCELLED: ToolResult = Object.freeze({
  outcome: 'cancelled',
  isError: true,
  output: 'Cancelled by user',
});

export const NOT_STARTED: ToolResult = Object.freeze({
  outcome: 'not-executed',
  isError: true,
  output: 'Not executed: the outcome of a call before it could not be stored',
});

export const UNKNOWN: ToolResult = Object.freeze({
  outcome: 'unknown',
  isError: true,
  output:
    'Outcome unknown: the call may have been carried out. Do not repeat it before that has been checked',
});
