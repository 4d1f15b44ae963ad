import type { ChainVerdict } from '../hooks/gate.ts';
import { deepFreeze } from '../internal/deep-freeze.ts';
import type { Usage } from '../protocol/chat.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { AssistantPart } from '../protocol/message.ts';
import { FINAL_ANSWER } from '../tools/answer-port.ts';
import type { JudgedCall } from './event.ts';
import type { Batch, BatchCall, FinalText, OpenTurn } from './state.ts';

type Retry = Extract<ChainVerdict<unknown>, { readonly type: 'retry-with-feedback' }>;

/** The engine's own rejection of an answer that does not fit, in the form that every rejection has. */
export function misfit(problem: string): Retry {
  return { type: 'retry-with-feedback', feedback: [{ policy: 'agent', feedback: problem }] };
}

/** What is wrong with the answer that the engine has rejected. */
export function problemIn({ feedback }: Retry): string {
  return feedback.map((entry) => entry.feedback).join('; ');
}

/** The turn with another schema for its final answer, where one is given. */
export function withOutput(turn: OpenTurn, schema: JsonObject | undefined): OpenTurn {
  return schema === undefined ? turn : { ...turn, output: { ...turn.output, schema } };
}

/**
 * What keeps a batch from being the final answer it is meant to be: arguments that do not fit or cannot be read, or two
 * answers at once. Nothing for a batch with anything else in it, whose calls are answered one by one.
 */
export function misfitOf(turn: OpenTurn, judged: readonly JudgedCall[]): string | undefined {
  if (turn.output === undefined || !judged.every(({ call }) => isFinal(call))) return undefined;
  if (judged.length > 1) return `there were ${judged.length} final answers; give one`;
  const refusal = judged[0]?.call.refusal;
  return refusal?.outcome === 'invalid' ? refusal.reason : undefined;
}

/** Beside other calls the model cannot know their results yet: it is told to answer when it does. */
export function refuseEarly(turn: OpenTurn, calls: readonly BatchCall[]): readonly BatchCall[] {
  if (turn.output === undefined || calls.length < 2 || !calls.some(isFinal)) return calls;
  const reason = `call '${FINAL_ANSWER}' alone, when every other call is done`;
  return calls.map((call) =>
    isFinal(call)
      ? { ...call, refusal: { outcome: 'not-executed', by: 'agent', reason } as const }
      : call,
  );
}

/** The final answer that a batch is, once its call has passed: the text in the place of the call. */
export function finalTextOf(turn: OpenTurn, batch: Batch, usage: Usage): FinalText | undefined {
  const [call] = batch.calls;
  if (turn.output === undefined || call === undefined || batch.calls.length > 1) return undefined;
  if (!isFinal(call) || call.refusal !== undefined) return undefined;
  const text = JSON.stringify(call.effectiveInput);
  const content = batch.content.flatMap((part): AssistantPart[] => {
    if (part.type === 'text') return [];
    return part.type === 'tool-call' ? [{ type: 'text', text }] : [part];
  });
  return { content: deepFreeze(content), text, finishReason: 'stop', usage, fromCall: true };
}

function isFinal({ toolName }: BatchCall): boolean {
  return toolName === FINAL_ANSWER;
}
