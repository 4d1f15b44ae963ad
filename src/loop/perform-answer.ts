import type { ChainVerdict } from '../hooks/gate.ts';
import { isThenable } from '../internal/is-thenable.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { ChatResponse } from '../protocol/chat.ts';
import type { OutgoingText } from '../protocol/texts.ts';
import type { AnswerPort } from '../tools/answer-port.ts';
import { FINAL_ANSWER } from '../tools/answer-port.ts';
import { runsTools } from './runs-tools.ts';
import type { Session } from './session.ts';
import { BROKEN, settleCheck } from './settle-check.ts';
import type { OpenTurn } from './state.ts';
import { misfit } from './step-answer.ts';

/** What the final answer of a turn has to fit; nothing for a turn that does not ask for that. */
export function outputOf(turn: OpenTurn, session: Session): AnswerPort | undefined {
  if (turn.output === undefined) return undefined;
  const { output } = session.options;
  if (output === undefined) throw new TypeError('a turn with an output schema went on without it');
  return output;
}

/** Whether the model of the agent is sent the schema; any other answers by a call. */
export function takesSchema({ ports }: Session): boolean {
  return ports.model.capabilities?.outputSchema === true;
}

/** Holds an accepted response against the schema, where it is the final answer. */
export function checkResponse(
  response: ChatResponse,
  output: AnswerPort,
  session: Session,
): MaybePromise<Misfit | undefined> {
  if (runsTools(response)) return undefined;
  return takesSchema(session) ? checkText(response.text, output, session) : misfit(NO_CALL);
}

const NO_CALL = `it has to come as a call of '${FINAL_ANSWER}', and text does not count`;

/** Holds the final text against the schema as the policies have left it. One that has passed before is not read again. */
export function checkOutgoing(
  verdict: ChainVerdict<OutgoingText>,
  output: AnswerPort,
  session: Session,
): MaybePromise<ChainVerdict<OutgoingText>> {
  if (verdict.type !== 'pass') return verdict;
  const checked = checkText(verdict.value.text, output, session);
  return isThenable(checked) ? checked.then((late) => late ?? verdict) : (checked ?? verdict);
}

type Misfit = ReturnType<typeof misfit> | { readonly type: 'cancelled' };

function checkText(
  text: string,
  output: AnswerPort,
  session: Session,
): MaybePromise<Misfit | undefined> {
  if (session.answer?.text === text) return undefined;
  const take = (read: Read): Misfit | undefined => {
    if ('problem' in read) return misfit(read.problem);
    session.answer = { text, value: read.value };
    return undefined;
  };
  try {
    const reading = output.read(text);
    if (!isThenable(reading)) return take(reading);
    const settled = settleCheck(Promise.resolve(reading), session, failed);
    return settled.then((read) => (read === 'cancelled' ? CANCELLED : take(read)));
  } catch {
    return take(failed(BROKEN));
  }
}

type Read = Awaited<ReturnType<AnswerPort['read']>>;

const CANCELLED = Object.freeze({ type: 'cancelled' });

function failed(why: string): Read {
  return { problem: `the output schema ${why}` };
}
