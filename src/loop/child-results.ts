import type { ToolResult } from '../protocol/tool.ts';
import { CANCELLED } from './call-outcomes.ts';
import type { RunResult } from './result.ts';

/** What the model above reads of a subagent's end. Of an answer that was withheld it reads nothing, nor what a policy said of it. */
export function resultOfChild(
  result: RunResult,
  { agent, isOutOfTime }: { readonly agent: string; readonly isOutOfTime: boolean },
): ToolResult {
  switch (result.status) {
    case 'completed':
      return Object.freeze({ outcome: 'succeeded', isError: false, output: result.text });
    case 'blocked':
      return failure(agent, `a policy stopped it at ${result.point}`);
    case 'limited':
      return failure(agent, `it reached its limit of ${result.limit}`);
    case 'refused':
      return failure(agent, 'its model refused to answer');
    case 'failed':
      return failure(agent, `it failed (${result.error.code})`);
    case 'cancelled':
      return isOutOfTime ? failure(agent, 'its time was over') : CANCELLED;
    default:
      // It never began: it was to end, and there was nothing to end.
      return CANCELLED;
  }
}

/**
 * One that cannot be gone on with is not begun again either: what it has paid for and done, only its own thread tells.
 */
export function cannotGoOn(why: string): ToolResult {
  const what = `the subagent cannot be gone on with (${why}), and may have carried out a part of its task`;
  return error(
    'unknown',
    `Outcome unknown: ${what}. Do not repeat the task before that has been checked`,
  );
}

export function noMessage(): ToolResult {
  return error(
    'not-executed',
    'Not executed: no message for the subagent could be made of the arguments',
  );
}

export function tooDeep(maxDepth: number): ToolResult {
  const what = `agents may call each other ${maxDepth} deep, and this would be deeper`;
  return error('not-executed', `Not executed: ${what}. Answer without the subagent`);
}

function failure(agent: string, why: string): ToolResult {
  return error('failed', `Subagent '${agent}' gave no answer: ${why}`);
}

function error(outcome: ToolResult['outcome'], output: string): ToolResult {
  return Object.freeze({ outcome, isError: true, output });
}
