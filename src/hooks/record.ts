import type { HookError } from '../errors/hook-error.ts';
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
  ask.run.ports.record(new DecidedBody(ask, decision));
}

/** Records a failure: who, where and of what kind, and nothing of what was thrown but the name of its class. */
export function recordFailure(
  ask: Recorded,
  error: HookError,
  how: { readonly open: boolean; readonly late?: boolean },
): void {
  const { policy, version } = ask.entry;
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
    ...(how.late === true && { late: true }),
  });
}

/**
 * A `hook.decided` whose digest is made when it is first read: an HMAC costs more than the whole ask, and most
 * decisions are never stored. The getter is an own, enumerable member, so that copies and JSON have it too; a
 * class, because a literal with a getter costs as much as the whole ask.
 */
class DecidedBody {
  readonly type = 'hook.decided';
  readonly policy: string;
  readonly point: HookPoint;
  readonly decision: string;
  readonly durationMs: number;
  declare readonly digest: string;
  declare readonly version?: string;
  declare readonly reason?: string;
  declare readonly callId?: string;
  declare readonly toolName?: string;
  declare readonly recheck?: true;
  readonly #ask: Recorded;
  #digest: string | undefined;

  constructor(ask: Recorded, decision: Move) {
    const { version, policy } = ask.entry;
    const { point, callId, toolName, recheck } = ask.question;
    const reason = reasonOf(decision);
    // First, while every record still has the same members: cheaper than at the end.
    Object.defineProperty(this, 'digest', DecidedBody.#lazily);
    this.policy = policy;
    this.point = point;
    this.decision = decision.type;
    this.durationMs = ask.durationMs;
    if (version !== undefined) this.version = version;
    if (reason !== undefined) this.reason = reason;
    if (callId !== undefined) this.callId = callId;
    if (toolName !== undefined) this.toolName = toolName;
    if (recheck) this.recheck = true;
    this.#ask = ask;
  }

  static readonly #lazily: PropertyDescriptor & ThisType<DecidedBody> = {
    enumerable: true,
    configurable: true,
    get() {
      const { run, question } = this.#ask;
      this.#digest ??= run.ports.digest(question.point, question.result ?? question.payload);
      return this.#digest;
    },
  };
}

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
