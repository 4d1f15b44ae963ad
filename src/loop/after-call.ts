import type { JsonValue } from '../protocol/json.ts';
import { textOf } from '../protocol/read-content.ts';
import type { ToolResult } from '../protocol/tool.ts';
import { reportsError } from '../protocol/tool-answer.ts';
import type { ResultRules } from '../tools/result-port.ts';
import type { AfterCall, PickedLine } from './after-call-state.ts';
import { fillLine } from './fill-line.ts';
import { lineValues } from './line-values.ts';
import { pickReply } from './pick-reply.ts';
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
 * wrote, and are stored with that; they come first, so that lines can tell of them.
 */
export function afterCall(given: Given): AfterCall | undefined {
  const { call, result, session, notRun, isSaved } = given;
  const rules = session.ports.results?.get(call.toolName);
  if (rules === undefined || result.outcome !== 'succeeded' || result.isError) return undefined;
  if (reportsError(result.output)) return undefined;
  const saveRefused =
    isSaved === true ? undefined : session.values?.save(call.callId, rules.assign, result.output);
  const ends = rules.endsConversation === true && notRun !== true;
  const reply = replyTo(call, result.output, { rules, session });
  if (saveRefused === undefined && !ends && reply === undefined) return undefined;
  return {
    ...(ends && { ends: endOf(call, result.output, { rules, session }) }),
    ...(saveRefused !== undefined && { saveRefused }),
    ...(reply !== undefined && { reply }),
  };
}

function replyTo(
  { toolName }: BatchCall,
  result: JsonValue,
  { rules, session }: { readonly rules: ResultRules; readonly session: Session },
): PickedLine | undefined {
  if (rules.replies.length === 0) return undefined;
  const about = { ...lineValues({ toolName, result }, session), toolName, result };
  return pickReply(rules.replies, about, session.state.lines);
}

/** The answer that made the calls is in the history as it was judged, and their results are not yet. */
function endOf(
  { toolName }: BatchCall,
  result: JsonValue,
  { rules, session }: { readonly rules: ResultRules; readonly session: Session },
): NonNullable<AfterCall['ends']> {
  const { goodbye } = rules;
  const { last } = session.history;
  const text = last?.role === 'assistant' ? textOf(last) : '';
  const line =
    goodbye === undefined || text.trim() !== ''
      ? undefined
      : fillLine(goodbye, lineValues({ toolName, result }, session));
  return line === undefined ? { text } : { text, goodbye: line };
}
