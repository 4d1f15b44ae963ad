import { TurnInterruptedError } from '../errors/interrupted.ts';
import { ModelError } from '../errors/model-error.ts';
import type { EventBody } from '../events/event.ts';
import { deepFreeze } from '../internal/deep-freeze.ts';
import { jsonEqual } from '../internal/json-equal.ts';
import type { UserMessage } from '../protocol/message.ts';
import { textOf } from '../protocol/read-content.ts';
import { NO_USAGE } from '../protocol/usage.ts';
import { beginFirstStep, beginStoppedStep } from './begin-step.ts';
import type { LoopEvent } from './event.ts';
import type { Rules } from './rules.ts';
import { refuseOpenCalls, settleBatch } from './settle-batch.ts';
import type { NextTurn, OpenTurn, Phase, ThreadState } from './state.ts';
import { withOutput } from './step-answer.ts';
import { resumeCompaction } from './step-compact.ts';
import { endAwaiting } from './step-host.ts';
import { rejudge, resumePreparing } from './step-prepare.ts';
import { resetStreak } from './step-response.ts';
import {
  closingEvents,
  commitThen,
  emit,
  enter,
  failed,
  finish,
  type Transition,
} from './transition.ts';

type Of<Type extends LoopEvent['type']> = Extract<LoopEvent, { readonly type: Type }>;

/** A user message. What an earlier crash left is settled first: its tools get their results, its turn its end. */
export function onTurnRequested(
  state: ThreadState,
  event: Of<'turn.requested'>,
  rules: Rules,
): Transition | undefined {
  const { phase } = state;
  const next = nextTurnOf(event);
  switch (phase.name) {
    case 'idle':
    case 'finished':
      return openTurn(state, next, event.messageCount);
    case 'requesting':
    case 'compacting':
      return afterInterrupted(phase.turn, () => openTurn(state, next, event.messageCount));
    case 'running':
      return enter(state, { ...phase, recovering: true, next });
    case 'awaiting-child': {
      if (!event.supersede) return undefined;
      const ended = { batch: phase.batch, finished: phase.finished, children: phase.children };
      const following = { ...next, supersedes: true } as const;
      return enter(state, {
        ...ended,
        name: 'running',
        turn: phase.turn,
        recovering: true,
        next: following,
      });
    }
    case 'awaiting-tools':
      if (!event.supersede) return undefined;
      return endAwaiting(state, phase, { rules, next: { ...next, supersedes: true } });
    case 'preparing':
      return settleBatch(state, phase.turn, {
        batch: refuseOpenCalls(phase.batch, 'the turn ended before it'),
        outcome: failed(new TurnInterruptedError(phase.turn.turnId)),
        rules,
        next,
      });
    case 'rejudging':
    case 'awaiting-approval':
      if (phase.name === 'awaiting-approval' && !event.supersede) return undefined;
      return settleBatch(state, phase.turn, {
        batch: refuseOpenCalls(phase.batch, 'the user went on without an answer'),
        outcome: { status: 'cancelled' },
        rules,
        next,
      });
    default:
      return undefined;
  }
}

function nextTurnOf({ message, tick, values, output }: Of<'turn.requested'>): NextTurn {
  return {
    message,
    tick,
    ...(values !== undefined && { values }),
    ...(output !== undefined && { output }),
  };
}

/** Picks a stored turn up where it is: a step that was not begun, a call that may have been, tools that may have run. */
export function onTurnResumed(
  state: ThreadState,
  event: Of<'turn.resumed'>,
  rules: Rules,
): Transition | undefined {
  const { phase } = state;
  if (!isResumable(phase)) return undefined;
  const turn = withOutput(active(phase.turn, event.tick), event.output);
  if (phase.name === 'running' || phase.name === 'awaiting-child')
    return enter(state, { ...phase, name: 'running', turn, recovering: true });
  if (phase.name === 'preparing') return enter(state, resumePreparing({ ...phase, turn }));
  if (phase.name === 'rejudging') return enter(state, rejudge(turn, phase.batch));
  if (phase.name === 'compacting')
    return resumeCompaction(state, { ...phase, turn }, { ...event, rules });
  if (phase.attempt >= rules.maxAttempts) {
    const error = new ModelError('attempts-exhausted', {
      where: `turn '${turn.turnId}', step ${turn.step}`,
      what: `the process ended during the model call ${phase.attempt} times`,
      fix: 'Find out what ends the process; the next message starts a new turn',
    });
    const ended = finish(state, turn, { outcome: failed(error), rules, fallback: 'error' });
    return { ...ended, error };
  }
  const next = { ...phase, turn, armed: false };
  return turn.between === true ? beginStoppedStep(state, next) : enter(state, next);
}

type Resumable = Extract<
  Phase,
  {
    readonly name:
      | 'running'
      | 'awaiting-child'
      | 'preparing'
      | 'rejudging'
      | 'requesting'
      | 'compacting';
  }
>;

function isResumable(phase: Phase): phase is Resumable {
  return RESUMABLE.has(phase.name);
}

const RESUMABLE: ReadonlySet<string> = new Set([
  'running',
  'awaiting-child',
  'preparing',
  'rejudging',
  'requesting',
  'compacting',
] satisfies Resumable['name'][]);

/** Marks the end of a conversation whose last turn has ended. The thread stays, and a message begins a new turn. */
export function onThreadEnded(
  state: ThreadState,
  event: Of<'thread.ended'>,
): Transition | undefined {
  const { phase } = state;
  if (phase.name !== 'finished') return undefined;
  return commitThen(state, phase, {
    turn: phase.turn,
    events: [{ type: 'thread.ended', reason: event.reason }],
  });
}

export function openTurn(state: ThreadState, next: NextTurn, messageCount: number): Transition {
  const number = state.turn + 1;
  const turn: OpenTurn = {
    turnId: String(number),
    isFirst: number === 1,
    step: 0,
    usage: NO_USAGE,
    firstMessage: messageCount,
    activeMs: 0,
    activeSince: next.tick,
    ...(next.output !== undefined && { output: { schema: next.output } }),
  };
  const events: EventBody[] = [{ type: 'turn.started', isFirst: turn.isFirst }];
  const valued = withValues(state, next.values, events);
  // What is left of an object without a field has its fields beside it, and so has every copy: not where there is none.
  const own = valued.overflows === undefined ? valued : withoutOverflows(valued);
  const begun = { ...own, turn: number };
  return enter(begun, { name: 'opening', turn, message: next.message }, events);
}

function withoutOverflows({ overflows: _ofTurnBefore, ...rest }: ThreadState): ThreadState {
  return rest;
}

/** What the app sets is set whatever becomes of the turn it came with. */
function withValues(
  state: ThreadState,
  given: NextTurn['values'],
  events: EventBody[],
): ThreadState {
  if (given === undefined) return state;
  const { values = {} } = state;
  const fields = Object.keys(given).filter(
    (field) => !Object.hasOwn(values, field) || !jsonEqual(values[field], given[field]),
  );
  if (fields.length === 0) return state;
  events.push({ type: 'state.changed', fields });
  return { ...state, values: { ...values, ...given } };
}

/** Closes a turn that a crash cut off, in the same commit as what follows (L6). */
function afterInterrupted(turn: OpenTurn, follow: () => Transition): Transition {
  const ended = emit(
    turn,
    closingEvents(turn, failed(new TurnInterruptedError(turn.turnId)), false),
  );
  const next = follow();
  return { state: next.state, effects: [ended, ...next.effects] };
}

/** Nothing of the message is stored until the request that holds it has passed too. */
export function onOpeningJudged(
  state: ThreadState,
  event: Of<'opening.judged'>,
  rules: Rules,
): Transition | undefined {
  const { phase } = state;
  if (phase.name !== 'opening') return undefined;
  const { turn, message } = phase;
  const verdict = event.turn.type === 'pass' ? (event.message ?? event.turn) : event.turn;
  const point = event.turn.type === 'pass' ? 'onUserMessage' : 'onTurnStart';
  if (verdict.type === 'failed') {
    return finish(state, turn, { outcome: failed(verdict.error), rules, fallback: 'hook-failure' });
  }
  if (verdict.type === 'block') {
    return finish(state, turn, {
      outcome: { status: 'blocked', by: verdict.policy, point, reason: verdict.reason, text: '' },
      // The audit keeps what onUserMessage refused; a turn that never began leaves no text at all.
      events:
        point === 'onUserMessage'
          ? [
              {
                type: 'message.user',
                text: rules.keepDiscarded ? discardedText(event.message, message) : '',
                discarded: true,
              },
            ]
          : [],
      rules,
      fallback: 'user-message',
    });
  }
  if (verdict.type !== 'pass') return undefined;
  const candidate =
    event.message?.type === 'pass' ? withText(message, event.message.value.text) : message;
  return beginFirstStep(resetOnMessage(state, rules), turn, {
    candidate,
    tick: turn.activeSince,
    rules,
  });
}

/** What one policy took out is not kept because another then refused the rest. */
function discardedText(verdict: Of<'opening.judged'>['message'], message: UserMessage): string {
  const rewritten = verdict?.type === 'block' ? verdict.rewritten : undefined;
  return rewritten?.text ?? textOf(message);
}

function active(turn: OpenTurn, tick: number): OpenTurn {
  return { ...turn, activeSince: tick };
}

function resetOnMessage(state: ThreadState, rules: Rules): ThreadState {
  return rules.resetStreakOn === 'user-message' ? resetStreak(state) : state;
}

function withText(message: UserMessage, text: string): UserMessage {
  if (textOf(message) === text) return message;
  const others = message.content.filter((part) => part.type !== 'text');
  return deepFreeze({ role: 'user', content: [{ type: 'text', text }, ...others] });
}
