import { AgentHooksError } from './base.ts';

/**
 * A policy wanted to recover once more than there may be recoveries in a row, over turns and processes too. Its
 * `cause` is the error that was not recovered.
 */
export class RecoveryCapError extends AgentHooksError {
  readonly code = 'recovery-cap';
  /** Who wanted to recover. */
  readonly policy: string;
  /** How many recoveries there have been in a row. */
  readonly recoveries: number;

  constructor(
    cap: { readonly policy: string; readonly recoveries: number },
    options?: { readonly cause?: unknown },
  ) {
    super(
      {
        where: `policy '${cap.policy}' at onError`,
        what: `wanted to recover once more after ${cap.recoveries} recoveries in a row, which is the cap`,
        fix: 'See `cause` for what keeps failing. An accepted response resets the count',
      },
      options,
    );
    this.name = 'RecoveryCapError';
    this.policy = cap.policy;
    this.recoveries = cap.recoveries;
  }
}
