import { AgentHooksError, errorInfo } from '../errors/base.ts';
import { BudgetError } from '../errors/budget-error.ts';
import { ModelError } from '../errors/model-error.ts';
import type { ChatModel } from '../models/port.ts';
import type { ChatResponse, Usage } from '../protocol/chat.ts';
import type { RequestRefused } from './call-wrapped.ts';
import type { LoopEvent } from './event.ts';
import type { TextStop } from './held-text.ts';
import { retract } from './retract.ts';
import type { Session } from './session.ts';
import type { OpenTurn } from './state.ts';

/** A policy has ended the answer, or the turn was cancelled while it was asked. */
export function stopped(
  stop: TextStop,
  session: Session,
  { turn, usage }: { readonly turn: OpenTurn; readonly usage: Usage },
): LoopEvent {
  retract(session, stop, { turn, point: 'onTextWindow' });
  if (stop.type === 'cancelled') return { type: 'turn.cancelled', usage };
  if (stop.type === 'failed') session.error = stop.error;
  return { type: 'text.stopped', verdict: stop, usage };
}

/** A policy put another request in place, and that one was refused. */
export function refused(
  { verdict }: RequestRefused,
  session: Session,
  { turn, usage }: { readonly turn: OpenTurn; readonly usage: Usage },
): LoopEvent {
  retract(session, verdict, { turn, point: 'preLlmRequest' });
  return { type: 'call.refused', verdict, usage };
}

interface FailedCall {
  readonly session: Session;
  readonly turn: OpenTurn;
  readonly model: ChatModel;
}

/** What a live reader has seen of an answer that failed does not count. */
export function failure(
  error: unknown,
  { session, turn, model }: FailedCall,
  usage: Usage,
): LoopEvent {
  retract(session, FAILED, { turn, point: 'model' });
  if (BudgetError.isInstance(error)) return overBudget(error, session, usage);
  const typed = AgentHooksError.isInstance(error)
    ? error
    : new ModelError(
        'model-failed',
        {
          where: `model '${model.id}'`,
          what: 'the call failed with an error it does not explain',
          fix: 'See `cause`',
        },
        { cause: error },
      );
  session.error = typed;
  return {
    type: 'model.failed',
    error: typed,
    refused: errorInfo(typed).code === 'refused',
    usage,
    tick: session.now(),
  };
}

/** A model that may not be called, or whose call could not be counted, is no failure of a model: nobody forgives it. */
export function overBudget(error: BudgetError, session: Session, usage: Usage): LoopEvent {
  session.error = error;
  return { type: 'budget.refused', error, usage };
}

export const FAILED: { readonly type: 'failed' } = Object.freeze({ type: 'failed' });

export function isEmpty(response: ChatResponse): boolean {
  return (
    response.finishReason !== 'content-filter' &&
    response.toolCalls.length === 0 &&
    response.content.every(
      (part) => part.type === 'reasoning' || (part.type === 'text' && part.text.trim() === ''),
    )
  );
}

export function emptyResponse(modelId: string, sent: number): ModelError {
  return new ModelError('empty-response', {
    where: `model '${modelId}'`,
    what: `it answered the same request with nothing ${sent} times`,
    fix: 'Nothing of the answer was stored, and the message was; ask on, or use another model',
  });
}

export function errorFinish(modelId: string): ModelError {
  return new ModelError('model-failed', {
    where: `model '${modelId}'`,
    what: 'it ended its answer with an error',
    fix: 'Nothing of the answer was stored, and the message was; ask on',
  });
}
