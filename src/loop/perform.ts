import type { MaybePromise } from '../internal/maybe-promise.ts';
import { cancelOperations } from './cancel-operations.ts';
import type { Effect } from './effect.ts';
import type { LoopEvent } from './event.ts';
import { judgeBatch, rejudgeBatch } from './perform-batch.ts';
import { commit } from './perform-commit.ts';
import { callSummary, compact, judgeSummary } from './perform-compact.ts';
import { judgeError, tellError } from './perform-error.ts';
import { judgeOpening, judgeOutgoing, judgeRequest, judgeResponse } from './perform-judge.ts';
import { callModel } from './perform-model.ts';
import { prepareBatch } from './perform-prepare.ts';
import { runTools } from './perform-tools.ts';
import type { Session } from './session.ts';

/** Does the one piece of I/O an effect names, and says what came of it. Answers at once where nothing has to be awaited. */
export function perform(effect: Effect, session: Session): MaybePromise<LoopEvent | undefined> {
  switch (effect.type) {
    case 'emit':
      session.recordAll(effect.events, effect.turnId, effect.step);
      return undefined;
    case 'publish':
      session.publishUnstored(effect.events, effect.turnId, effect.step);
      return undefined;
    case 'judge-opening':
      return judgeOpening(effect, session);
    case 'compact':
      return compact(effect, session);
    case 'call-summary':
      return callSummary(effect, session);
    case 'judge-summary':
      return judgeSummary(effect, session);
    case 'adopt-summary':
      session.adopt(effect.summary);
      return undefined;
    case 'judge-request':
      return judgeRequest(effect, session);
    case 'call-model':
      return callModel(effect, session);
    case 'judge-response':
      return judgeResponse(effect, session);
    case 'judge-batch':
      return judgeBatch(effect, session);
    case 'prepare-batch':
      return prepareBatch(effect, session);
    case 'cancel-operations':
      return cancelOperations(effect, session);
    case 'rejudge-batch':
      return rejudgeBatch(effect, session);
    case 'judge-outgoing':
      return judgeOutgoing(effect, session);
    case 'run-tools':
      return runTools(effect, session);
    case 'judge-error':
      return judgeError(effect, session);
    case 'tell-error':
      return tellError(effect, session);
    case 'commit':
      return commit(effect, session);
  }
}
