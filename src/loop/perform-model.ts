import type { Later } from '../internal/later.ts';
import { NO_USAGE } from '../protocol/usage.ts';
import type { Effect } from './effect.ts';
import type { LoopEvent } from './event.ts';
import { metered } from './metered-model.ts';
import { ModelAttempt, type ModelCall } from './model-attempt.ts';
import { momentOf } from './moment-of.ts';
import type { Session } from './session.ts';

type CallModel = Extract<Effect, { readonly type: 'call-model' }>;

/**
 * One logical call. A model that answers nothing at all is sent the same request again, a bounded number of
 * times; the policies are not asked again, as nothing changed.
 */
export function callModel(effect: CallModel, session: Session): Later<LoopEvent> {
  const request = effect.request ?? session.request;
  if (request === undefined)
    throw new TypeError('a model was to be called before its request was built');
  const { turn, attempt: number } = effect;
  const isWrapped = session.gateFor(turn.turnId).has('wrapLlmCall');
  const model = metered(session.ports.model, { session, turn });
  const { streams } = session.options;
  const moment = momentOf(turn, number);
  const call = { request, turn, moment, session, model, streams, isWrapped };
  return new ModelAttempt(call, 1, NO_USAGE).send();
}

/** A call whose answer nobody reads along, and that sends what is in its request and nothing of the agent's settings. */
export function callAside(call: Omit<ModelCall, 'streams' | 'isWrapped'>): Later<LoopEvent> {
  const isWrapped = call.session.gateFor(call.turn.turnId).has('wrapLlmCall');
  const model = metered(call.model, call);
  return new ModelAttempt({ ...call, model, streams: false, isWrapped }, 1, NO_USAGE).send();
}
