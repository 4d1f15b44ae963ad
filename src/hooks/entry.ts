import type { DecisionCodec } from '../decisions/codec.ts';

/** A decision of any point. */
export interface Move {
  readonly type: string;
}

/**
 * Where the name of a policy comes from. Memory needs an `explicit` one, as it outlives the build that names
 * classes; an approval needs one that says more than a `position` in a list.
 */
export type NamedBy = 'explicit' | 'class' | 'position';

/** One method of one policy, with everything that asking it needs. Built once per agent. */
export interface HookEntry {
  readonly policy: string;
  readonly version: string | undefined;
  readonly namedBy: NamedBy;
  /** The method, bound to its policy: payload and context, or payload, result and context. */
  readonly call: (payload: unknown, second: unknown, third?: unknown) => unknown;
  /** Absent where the point answers with no decision. */
  readonly codec: DecisionCodec<Move> | undefined;
  readonly timeoutMs: number;
  readonly failure: 'closed' | 'open';
  readonly mustDecide: boolean;
  /** Asked and recorded, and nothing it says is followed. */
  readonly shadow: boolean;
  /** The policy itself, where nothing was put around it. */
  readonly source: object | undefined;
  /** The entries that stand together and share it are asked at the same time. */
  readonly beside: object | undefined;
}
