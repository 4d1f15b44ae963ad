import { textOf } from '../protocol/read-content.ts';
import type { ToolResult } from '../protocol/tool.ts';
import { reportsError } from '../protocol/tool-answer.ts';
import type { AfterCall } from './after-call-state.ts';
import type { Session } from './session.ts';
import type { BatchCall } from './state.ts';

interface Given {
  readonly call: BatchCall;
  readonly result: ToolResult;
  readonly session: Session;
  /** True where no execution gave it: a policy or a check answered in the place of the tool. */
  readonly notRun?: boolean;
  /** True where an earlier process has saved what there was to save of it. */
  readonly isSaved?: boolean;
}

/**
 * What code does with a result that works, as it is before `postToolUse` may change it. Saves are part of what the call
 * wrote, and are stored with that.
 */
export function afterCall(given: Given): AfterCall | undefined {
  const { call, result, session, notRun, isSaved } = given;
  const rules = session.ports.results?.get(call.toolName);
  if (rules === undefined || result.outcome !== 'succeeded' || result.isError) return undefined;
  if (reportsError(result.output)) return undefined;
  const saveRefused =
    isSaved === true ? undefined : session.values?.save(call.callId, rules.assign, result.output);
  const ends = rules.endsConversation === true && notRun !== true;
  if (saveRefused === undefined && !ends) return undefined;
  return {
    ...(ends && { ends: { text: spokenText(session) } }),
    ...(saveRefused !== undefined && { saveRefused }),
  };
}

/** The answer that made the calls is in the history as it was judged, and their results are not yet. */
function spokenText({ history }: Session): string {
  const { last } = history;
  return last?.role === 'assistant' ? textOf(last) : '';
}
