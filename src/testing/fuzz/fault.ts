import type { JsonValue } from '../../protocol/json.ts';

/**
 * What may be wrong with a policy. `throws`: it threw or rejected. `hangs`: no answer came. `late`: it answered after
 * its time limit. `mutates`: it changed, or tried to change, what it was given. `unstable`: the same question got
 * another answer. `leaks-input`: a secret of the input is in the reason of a Block, which events keep. `slow-growth`:
 * its time grows faster than the text it reads. `forgets-to-return`: it made a decision and returned nothing, or had to
 * decide and did not. `not-json`: its decision is no JSON. `illegal`: its answer is no decision of the point.
 * `invalid-rewrite`: what it put in place does not fit. `unsettled-rewrite`: it rewrites what it has rewritten.
 * `blocks-everything`: no input got through. `crashes`: it ended the thread it ran in.
 */
export type FaultKind =
  | 'throws'
  | 'hangs'
  | 'late'
  | 'mutates'
  | 'unstable'
  | 'leaks-input'
  | 'slow-growth'
  | 'forgets-to-return'
  | 'not-json'
  | 'illegal'
  | 'invalid-rewrite'
  | 'unsettled-rewrite'
  | 'blocks-everything'
  | 'crashes';

/** What a policy was asked: JSON, so that it can be kept and asked again. */
export interface FuzzInput {
  /** What the method is given first. At `onError` what stands for the error. */
  readonly payload: JsonValue;
  /** At `postToolUse` and `wrapToolUse`: what came of the call. At `wrapLlmCall`: the answer of the model, a text. */
  readonly result?: JsonValue;
  /** The history in `ctx.messages`. */
  readonly messages: readonly JsonValue[];
}

/** One fault, with the smallest input found that shows it. */
export interface Fault {
  readonly kind: FaultKind;
  /** What was seen, in words. */
  readonly says: string;
  readonly input: FuzzInput;
}

/** What came of it. JSON. */
export interface FuzzReport {
  readonly policy: string;
  readonly point: string;
  readonly ok: boolean;
  readonly faults: readonly Fault[];
  /** Gives the same inputs again, in the same order. */
  readonly seed: number;
  /** How many inputs were asked about, those of the search for slow growth and for smaller inputs not counted. */
  readonly runs: number;
  /** How often each kind of decision was given; `none` for no opinion, `failed` for no decision at all. */
  readonly decisions: { readonly [kind: string]: number };
  readonly elapsedMs: number;
  /** All of it for a person to read, with what to call to see it again. */
  readonly text: string;
}

/** One thing seen about one input. */
export interface Finding {
  readonly kind: FaultKind;
  readonly says: string;
}
