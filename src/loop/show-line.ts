import { deepFreeze } from '../internal/deep-freeze.ts';
import { describeThrown } from '../internal/describe-thrown.ts';
import { isThenable } from '../internal/is-thenable.ts';
import type { SpokenLine } from './lines-port.ts';
import { eventsOf, type Outgoing } from './outbox.ts';
import type { Session } from './session.ts';
import type { OpenTurn } from './state.ts';

/** Has the host show a line. A promise that never rejects, where the host gives one; how it fails changes nothing. */
export function showLine(
  line: Pick<SpokenLine, 'kind' | 'callId' | 'toolName' | 'text'>,
  session: Session,
  { turnId, step }: Pick<OpenTurn, 'turnId' | 'step'>,
): Promise<void> | undefined {
  const { onLine } = session.ports.lines;
  if (onLine === undefined) return undefined;
  const { agentPath } = session.options.facts;
  const { kind, callId, toolName, text } = line;
  const about = { threadId: session.threadId, turnId, callId, toolName };
  const told = { kind, text, ...about, ...(agentPath.length > 0 && { agentPath }) };
  const fail = (error: unknown): void => {
    const { name } = describeThrown(error);
    const details = { kind, callId, toolName };
    session.tell({ type: 'error.raised', code: 'line-failed', name, details }, turnId, step);
    if (!isHeard(session)) warn(kind, name);
  };
  try {
    const answer = onLine(deepFreeze(told));
    if (!isThenable(answer)) return undefined;
    // A foreign thenable may throw when it is waited for.
    return new Promise((settle) => settle(answer)).then(() => undefined, fail);
  } catch (error) {
    fail(error);
    return undefined;
  }
}

/** Has the host show what a commit has stored as said. What a subagent answers is for the agent above it. */
export function showStored(outgoing: Outgoing, session: Session): void {
  if (session.ports.lines.onLine === undefined || session.options.above !== undefined) return;
  for (const event of eventsOf(outgoing))
    if (event.type === 'line.said' && event.kind !== 'announce')
      void showLine(event, session, event);
}

/** Settles when the line was shown, its time is over or the run is cancelled. Until then no message interrupts it. */
export async function untilShown(shown: PromiseLike<void>, session: Session): Promise<void> {
  const { cancel, holdInterruptions } = session.options;
  const release = holdInterruptions?.();
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      cancel.unlisten(end);
      resolve();
    };
    const timer = setTimeout(end, session.ports.lines.waitMs);
    cancel.listen(end);
    shown.then(end);
  });
  release?.();
}

function isHeard({ ports, options }: Session): boolean {
  const type = 'error.raised';
  return ports.isObserved(type) || options.isWatched(type) || options.outlet !== undefined;
}

function warn(kind: string, name: string): void {
  process.emitWarning(`\`onLine\` failed with ${name} on a line of kind '${kind}'`, {
    code: 'AGENT_HOOKS_LINE',
  });
}
