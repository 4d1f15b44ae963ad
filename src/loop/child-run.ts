import { HookError } from '../errors/hook-error.ts';
import { StoreError } from '../errors/store-error.ts';
import { CancelScope } from '../internal/cancel-scope.ts';
import { MAX_TIMER_MS } from '../internal/timer-limit.ts';
import type { UserMessage } from '../protocol/message.ts';
import type { StoredThread } from '../stores/port.ts';
import { cancellation } from './cancellation.ts';
import { resultOfChild } from './child-results.ts';
import { rulesBelow } from './child-rules.ts';
import type { ChildEnd, ChildStart } from './child-start.ts';
import type { ChildRun } from './child-tool.ts';
import type { LoopEvent } from './event.ts';
import { neverStarted, type RunResult } from './result.ts';
import { takeAnswers } from './resume.ts';
import type { Above, Session } from './session.ts';
import { turnOf } from './state.ts';
import { type ThreadRun, withThread } from './with-thread.ts';

/** Goes on with a child from wherever its thread is, under the claim of its caller. Rejects where a run would throw. */
export async function startChild(start: ChildStart, session: Session): Promise<ChildEnd> {
  const { threadId, agent, message, limitMs } = start;
  const { ports, options } = session;
  const opened = agent.open({
    ports,
    threadId,
    context: options.context,
    isEnding: message === undefined,
  });
  if (opened instanceof HookError)
    return endOf(neverStarted(threadId, opened), { agent, turn: undefined });
  // Whoever has lost the caller's thread must not take the child's from the run that goes on with it.
  await ports.store.renew(session.threadId, session.token, ports.leases.ttlMs);
  const cancel = new CancelScope();
  let isOutOfTime = false;
  const pass = (): void => cancel.cancel(options.cancel.reason);
  if (message !== undefined) options.cancel.listen(pass);
  const timer =
    limitMs !== undefined && message !== undefined
      ? setTimeout(
          () => {
            isOutOfTime = true;
            cancel.cancel(new DOMException('timed-out', 'AbortError'));
          },
          Math.min(limitMs, MAX_TIMER_MS),
        )
      : undefined;
  let child: Session | undefined;
  try {
    const result = await withThread(
      threadRun(start, opened, { session, cancel }),
      (run, stored) => {
        child = run;
        return firstEvent(run, stored, { message, session });
      },
    );
    return endOf(result, { agent, turn: child && turnOf(child.state.phase), isOutOfTime });
  } finally {
    clearTimeout(timer);
    options.cancel.unlisten(pass);
    session.now();
  }
}

/** A child that broke off in the middle of its turn has no end: that is thrown, and another run can go on with it. */
function endOf(
  result: RunResult,
  {
    agent,
    turn,
    isOutOfTime = false,
  }: Pick<ChildEnd, 'turn'> & Pick<ChildStart, 'agent'> & { readonly isOutOfTime?: boolean },
): ChildEnd {
  if (result.status === 'awaiting-approval') return { approvals: result.approvals, turn };
  if (result.status === 'failed' && StoreError.isInstance(result.error)) throw result.error;
  return { result: resultOfChild(result, { agent: agent.name, isOutOfTime }), approvals: [], turn };
}

/** A child that has ended needs nothing: its stored end is its result. */
function firstEvent(
  child: Session,
  stored: StoredThread | undefined,
  { message, session }: { readonly message: UserMessage | undefined; readonly session: Session },
): Promise<LoopEvent | undefined> | LoopEvent | undefined {
  if (message === undefined) return stored === undefined ? undefined : cancellation(child);
  if (stored === undefined) {
    const tick = child.now();
    return { type: 'turn.requested', message, supersede: false, messageCount: 0, tick };
  }
  if (child.state.phase.name === 'finished') return undefined;
  return takeAnswers(child, session.answers, session.ports.clock.now());
}

function threadRun(
  start: ChildStart,
  { ports, rules, hooks }: ChildRun,
  { session, cancel }: { readonly session: Session; readonly cancel: CancelScope },
): ThreadRun {
  const { options } = session;
  const { outlet, backpressure, context, facts } = options;
  return {
    ports,
    threadId: start.threadId,
    options: {
      context,
      facts: { ...facts, agentPath: start.agentPath },
      cancel,
      rules: rulesBelow(rules, start.caller),
      ...(outlet !== undefined && { outlet }),
      backpressure,
      watches: hooks.entries.onEvent !== undefined,
      isWatched: (type) => hooks.observers[type] !== undefined,
      // Its answer is for the agent above: no piece of it is shown to anybody before it is judged.
      live: false,
      windowed: false,
      streams: false,
      startChild,
      above: above(start, session),
    },
  };
}

function above({ callId, agentPath, saver }: ChildStart, session: Session): Above {
  const { threadId, memory, options, ports, state } = session;
  return {
    call: { threadId, callId, topThreadId: state.parent?.topThreadId ?? threadId, agentPath },
    policies: new Set(ports.policies.policies),
    memory,
    stateOf: session.stateOf,
    save: () => {
      if (!memory.isChanged) return options.above?.save();
      return saver.save([]).then(() => {
        if (saver.failed) throw notSaved(threadId);
      });
    },
  };
}

function notSaved(threadId: string): StoreError {
  return new StoreError({
    where: `thread '${threadId}'`,
    what: 'what its policies remember of a subagent could not be stored',
    fix: 'Go on with `resume` once the store works: nothing of the subagent was lost',
  });
}
