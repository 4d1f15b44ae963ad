import { HookError } from '../errors/hook-error.ts';
import type { HookFailed } from '../hooks/gate.ts';
import { deepFreeze } from '../internal/deep-freeze.ts';
import { describeThrown } from '../internal/describe-thrown.ts';
import { isThenable } from '../internal/is-thenable.ts';
import { toolResultsOf } from '../protocol/read-content.ts';
import type { Note, NoteInfo } from './note.ts';
import type { Session } from './session.ts';
import { costOfTurn } from './spend.ts';
import type { OpenTurn } from './state.ts';

/** What all notes of the agent have to say to one call; nothing where none says anything. */
export function textOfNotes(session: Session, turn: OpenTurn): string | undefined | HookFailed {
  const texts: string[] = [];
  const info = infoOf(session, turn);
  for (const note of session.ports.notes) {
    const late = (cause: unknown): void =>
      recordFailure(session, turn, { error: thrown(note, cause), late: true });
    const text = askNote(note, info, late);
    if (text instanceof HookError) {
      recordFailure(session, turn, { error: text });
      return { type: 'failed', error: text };
    }
    if (text !== '') texts.push(text);
  }
  return texts.length === 0 ? undefined : texts.join('\n');
}

function infoOf(session: Session, turn: OpenTurn): NoteInfo {
  const { state, tick, options } = session;
  const { totals } = state;
  // Frozen whole: what is spent is the state's own.
  return deepFreeze({
    threadId: session.threadId,
    turnId: turn.turnId,
    step: turn.step,
    limits: options.rules.limits,
    turn: {
      steps: turn.step,
      usage: turn.usage,
      ...costOfTurn(turn),
      activeMs: Math.round(turn.activeMs + tick - turn.activeSince),
    },
    thread: {
      steps: totals.steps,
      usage: totals.usage,
      ...costOfTurn(totals),
      activeMs: session.activeMs,
    },
    lastTools: lastTools(session),
  });
}

function lastTools(session: Session): readonly string[] {
  const { last } = session.history;
  if (last === undefined) return [];
  return [...new Set(toolResultsOf(last).map(({ toolName }) => toolName))];
}

/** `late`: told of what comes of an answer that nobody waits for. */
function askNote(note: Note, info: NoteInfo, late: (cause: unknown) => void): string | HookError {
  let given: unknown;
  try {
    given = note.text(info);
    if (isThenable(given)) {
      Promise.resolve(given).catch(late);
      return noText(note);
    }
  } catch (cause) {
    return thrown(note, cause);
  }
  if (given === undefined) return '';
  return typeof given === 'string' ? given.toWellFormed() : noText(note);
}

function thrown({ name }: Note, cause: unknown): HookError {
  const detail = 'the note threw';
  const fix = 'See `cause`, and fix the note';
  return new HookError({ policy: name, point: 'notes', kind: 'threw', detail, fix }, { cause });
}

function noText({ name }: Note): HookError {
  const detail = 'the note is no text';
  const fix = 'Return a string, at once, or nothing for no note';
  return new HookError({ policy: name, point: 'notes', kind: 'illegal', detail, fix });
}

function recordFailure(
  session: Session,
  turn: OpenTurn,
  { error, late }: { readonly error: HookError; readonly late?: true },
): void {
  const { policy, point, kind, cause } = error;
  const errorName = cause === undefined ? undefined : describeThrown(cause).name;
  session.record(
    {
      type: 'hook.failed',
      policy,
      point,
      kind,
      ...(errorName !== undefined && { errorName }),
      open: false,
      ...(late === true && { late }),
    },
    turn.turnId,
    turn.step,
  );
}
