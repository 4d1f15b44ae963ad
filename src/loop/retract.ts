import type { Session } from './session.ts';
import type { OpenTurn } from './state.ts';

interface RetractingVerdict {
  readonly type: string;
  readonly policy?: string;
  readonly feedback?: readonly { readonly policy: string }[];
  readonly modified?: boolean;
}

/** Tells a live listener that what it was shown of this response does not count. */
export function retract(
  session: Session,
  verdict: RetractingVerdict,
  place: { readonly turn: OpenTurn; readonly point: string },
): void {
  if (!session.hasStreamed || (verdict.type === 'pass' && verdict.modified !== true)) return;
  session.hasStreamed = false;
  const { turn, point } = place;
  session.record(
    {
      type: 'text.retracted',
      by: verdict.policy ?? verdict.feedback?.[0]?.policy ?? 'agent',
      point,
    },
    turn.turnId,
    turn.step,
  );
}
