import { AgentHooksError } from './base.ts';

/**
 * How a policy failed. `threw`: it threw or rejected; `timed-out`: it passed its limit; `illegal`: its answer
 * is no decision of that point; `undecided`: it had to decide and did not; `invalid-rewrite`: what it put in
 * place does not fit; `changed-on-recheck`: it rewrote a value it was only asked to judge again.
 */
export type HookFailureKind =
  | 'threw'
  | 'timed-out'
  | 'illegal'
  | 'undecided'
  | 'invalid-rewrite'
  | 'changed-on-recheck';

/**
 * A policy failed at a point that is closed: nothing it guards went through. This is not a decision of the
 * policy (see `blocked`). `cause` is what the policy threw; the message never quotes it.
 */
export class HookError extends AgentHooksError {
  readonly code = 'hook-failed';
  readonly policy: string;
  readonly point: string;
  readonly kind: HookFailureKind;

  constructor(
    failure: {
      readonly policy: string;
      readonly point: string;
      readonly kind: HookFailureKind;
      readonly detail?: string;
      readonly fix?: string;
      /** Milliseconds it had. */
      readonly timeoutMs?: number;
    },
    options?: { readonly cause?: unknown },
  ) {
    super(
      {
        where: `policy '${failure.policy}' at ${failure.point}`,
        what: failure.detail ?? whatOf(failure),
        fix: failure.fix ?? FIX[failure.kind].replace('<point>', failure.point),
      },
      options,
    );
    this.name = 'HookError';
    this.policy = failure.policy;
    this.point = failure.point;
    this.kind = failure.kind;
  }
}

/** The same response was rejected too often in a row. `streak` is the real count, also across processes. */
export class ResponseRetryCapError extends AgentHooksError {
  readonly code = 'response-retry-cap';
  readonly policy: string;
  readonly point: string;
  readonly streak: number;

  constructor(cap: {
    readonly policy: string;
    readonly point: string;
    readonly streak: number;
    readonly max: number;
  }) {
    super({
      where: `policy '${cap.policy}' at ${cap.point}`,
      what: `rejected ${cap.streak} responses in a row, and the cap is ${cap.max}`,
      fix: 'Make the feedback tell the model what to do instead, or raise `maxResponseRetries`. An accepted response resets the count',
    });
    this.name = 'ResponseRetryCapError';
    this.policy = cap.policy;
    this.point = cap.point;
    this.streak = cap.streak;
  }
}

function whatOf({ kind, timeoutMs }: { kind: HookFailureKind; timeoutMs?: number }): string {
  const limit = kind === 'timed-out' && timeoutMs !== undefined ? ` of ${timeoutMs} ms` : '';
  return `${WHAT[kind]}${limit}`;
}

const WHAT: Record<HookFailureKind, string> = {
  threw: 'the hook threw',
  'timed-out': 'the hook did not answer within its time limit',
  illegal: 'the answer is no decision that is legal at this point',
  undecided: 'the hook returned nothing although its option `mustDecide` is set',
  'invalid-rewrite': 'the rewritten value does not fit what it replaces',
  'changed-on-recheck': 'the hook changed a value again that it was only asked to judge',
};

const FIX: Record<HookFailureKind, string> = {
  threw: 'See `cause`, and fix the policy',
  'timed-out':
    'Answer faster, watch `ctx.signal`, or raise `options.<point>.timeoutMs` of the policy (around it, `withTimeout` counts instead)',
  illegal: 'Build decisions with the companion of that point, such as `ToolDecision.block(reason)`',
  undecided: 'Return a decision on every path, or `ToolDecision.abstain()`',
  'invalid-rewrite': 'Return a value of the same shape as the one the hook was given',
  'changed-on-recheck': 'Make the rewrite give the same value when it is applied to its own result',
};
