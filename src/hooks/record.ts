import type { HookError } from '../errors/hook-error.ts';
import type { EventBody } from '../events/event.ts';
import type { Writable } from '../internal/writable.ts';
import type { ToolResult } from '../protocol/tool.ts';
import type { HookPoint } from './agent-hooks.ts';
import type { HookEntry, Move } from './entry.ts';
import type { GatePorts, Moment } from './gate.ts';

/** What one policy is asked about. */
export interface Question {
  readonly point: HookPoint;
  readonly payload: unknown;
  /** The result of the call; at `postToolUse` only. */
  readonly result?: ToolResult;
  readonly callId?: string;
  readonly toolName?: string;
  readonly moment: Moment;
  readonly recheck: boolean;
  /** Why a decision that is legal at the point cannot be one about this payload. */
  readonly misfit?: (decision: Move) => string | undefined;
  /** False for a decision, or without one a failure, that the record leaves out. Default: it leaves nothing out. */
  readonly isNews?: (entry: HookEntry, decision: Move | undefined) => boolean;
}

/** An ask, as far as the record tells of it. */
export interface Recorded {
  readonly run: { readonly ports: GatePorts };
  readonly entry: HookEntry;
  readonly question: Question;
  readonly durationMs: number;
}

/** Records an explicit decision. Feedback and rewrites are never in it; what was judged only as a digest. */
export function recordDecision(ask: Recorded, decision: Move): void {
  if (ask.question.isNews?.(ask.entry, decision) === false) return;
  ask.run.ports.record(decidedBody(ask, decision));
}

/** Records a failure: who, where and of what kind, and nothing of what was thrown but the name of its class. */
export function recordFailure(
  ask: Recorded,
  error: HookError,
  how: { readonly open: boolean; readonly late?: boolean },
): void {
  if (ask.question.isNews?.(ask.entry, undefined) === false) return;
  const { policy, version, shadow } = ask.entry;
  const { callId, toolName } = ask.question;
  const errorName = error.cause === undefined ? undefined : nameOf(error.cause);
  ask.run.ports.record({
    type: 'hook.failed',
    policy,
    ...(version !== undefined && { version }),
    point: error.point,
    kind: error.kind,
    ...(errorName !== undefined && { errorName }),
    ...(callId !== undefined && { callId }),
    ...(toolName !== undefined && { toolName }),
    open: how.open,
    ...(shadow && { shadow }),
    ...(how.late === true && { late: true }),
  });
}

/** Made for every answer of every policy, so what is left out costs nothing. The stamp of the run is put on it later. */
function decidedBody(ask: Recorded, decision: Move): EventBody {
  const { version, policy, shadow } = ask.entry;
  const { point, callId, toolName, recheck, result, payload } = ask.question;
  const reason = reasonOf(decision);
  const digest = ask.run.ports.digest?.(point, result ?? payload);
  const body: Writable<Decided> = {
    type: 'hook.decided',
    policy,
    point,
    decision: decision.type,
    // To the microsecond: what is below it is noise, which the store would keep.
    durationMs: Math.round(ask.durationMs * 1000) / 1000,
  };
  if (version !== undefined) body.version = version;
  if (reason !== undefined) body.reason = reason;
  if (callId !== undefined) body.callId = callId;
  if (toolName !== undefined) body.toolName = toolName;
  if (recheck) body.recheck = recheck;
  if (shadow) body.shadow = shadow;
  if (digest !== undefined) body.digest = digest;
  return body;
}

type Decided = Extract<EventBody, { readonly type: 'hook.decided' }>;

function reasonOf(decision: Move): string | undefined {
  if ('reason' in decision && typeof decision.reason === 'string') return decision.reason;
  if ('prompt' in decision && typeof decision.prompt === 'string') return decision.prompt;
  return undefined;
}

function nameOf(cause: unknown): string {
  try {
    return cause instanceof Error ? String(cause.name) : typeof cause;
  } catch {
    // What a policy throws may be anything, a proxy that throws when it is looked at included.
    return 'unreadable';
  }
}
