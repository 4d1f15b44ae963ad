import { inspect } from 'node:util';
import type { HookFailureKind } from '../errors/hook-error.ts';
import { POINTS } from '../hooks/points.ts';
import { isThenable } from '../internal/is-thenable.ts';
import { kindOf } from '../internal/kind-of.ts';

/** A decision of any point, with whatever it carries. */
export interface AnyDecision {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** What a test got: the answer of one policy, a bare decision, or something nothing can be said about. */
export type Reading = { readonly who: string; readonly says: string } & (
  | { readonly type: 'decided'; readonly decision: AnyDecision }
  | { readonly type: 'no-opinion' }
  | { readonly type: 'failed'; readonly kind: HookFailureKind }
  | { readonly type: 'unclear' }
);

const WHO = 'the policy';

/** Reads what `ask` gave, or what a hook returned when a test called it itself. */
export function readAnswer(received: unknown): Reading {
  if (received === undefined) return noOpinion(WHO);
  if (isThenable(received)) return unclear(WHO, 'it is a promise: await it first');
  if (isAnswer(received)) return fromAnswer(received);
  const decision = bareDecision(received);
  if (decision !== undefined) return decided(WHO, decision);
  return unclear(WHO, `${kindOf(received)} is neither an answer of \`ask\` nor a decision`);
}

/** Any text or value of a test, on one line where it is short. */
export function show(value: unknown): string {
  return inspect(value, { depth: 6, breakLength: 100 });
}

interface AnswerLike {
  readonly type: string;
  readonly policy: string;
  readonly point: string;
  readonly decision?: AnyDecision;
  readonly kind?: HookFailureKind;
  readonly error?: Error;
}

function isAnswer(value: unknown): value is AnswerLike {
  if (typeof value !== 'object' || value === null) return false;
  return 'policy' in value && 'point' in value && 'type' in value && 'memory' in value;
}

function fromAnswer(answer: AnswerLike): Reading {
  const who = `${answer.policy} at ${answer.point}`;
  if (answer.type === 'decided' && answer.decision !== undefined)
    return decided(who, answer.decision);
  if (answer.type === 'no-opinion') return noOpinion(who);
  if (answer.type === 'failed' && answer.kind !== undefined) {
    return { type: 'failed', who, kind: answer.kind, says: failureOf(answer) };
  }
  if (answer.type !== 'cancelled')
    return unclear(who, `it gives no decision there, and its answer is of type '${answer.type}'`);
  return unclear(who, 'the turn was cancelled before it had answered');
}

function failureOf({ kind, error }: AnswerLike): string {
  const cause = error?.cause;
  const why = cause === undefined ? error?.message : describeCause(cause);
  return `it failed (${kind}): ${why}`;
}

function describeCause(cause: unknown): string {
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : show(cause);
}

/** A decision that is legal at some point. Anything else is none: a test must not pass on a misspelling. */
function bareDecision(value: unknown): AnyDecision | undefined {
  for (const { codec } of Object.values(POINTS)) {
    const read = codec?.read(value);
    // A decision is plain data with a `type`; the codec only hides its other fields.
    if (read !== undefined && 'decision' in read) return read.decision as AnyDecision;
  }
  return undefined;
}

function decided(who: string, decision: AnyDecision): Reading {
  return { type: 'decided', who, decision, says: describeDecision(decision) };
}

function noOpinion(who: string): Reading {
  return { type: 'no-opinion', who, says: 'it had no opinion' };
}

function unclear(who: string, says: string): Reading {
  return { type: 'unclear', who, says };
}

function describeDecision(decision: AnyDecision): string {
  switch (decision.type) {
    case 'allow':
      return 'it allowed';
    case 'proceed':
      return 'it let it proceed';
    case 'accept':
      return 'it accepted';
    case 'keep':
      return 'it kept the value';
    case 'abstain':
      return 'it abstained';
    case 'block':
      return `it blocked with the reason ${show(decision['reason'])}`;
    case 'requires-confirmation':
      return `it required confirmation with the prompt ${show(decision['prompt'])}`;
    case 'retry-with-feedback':
      return `it asked for a retry with the feedback ${show(decision['feedback'])}`;
    case 'summarize':
      return `it summarized with the text ${show(decision['summary'])}`;
    case 'modify':
      return `it rewrote the value to ${show(rewriteOf(decision))}`;
    case 'release':
      return `it released ${show(decision['chars'])} characters`;
    case 'recover':
      return 'it recovered';
    case 'abort':
      return 'it aborted';
    case 'fallback':
      return `it fell back to the text ${show(decision['text'])}`;
    case 'silent':
      return 'it ended silently';
    default:
      return `it answered ${show(decision)}`;
  }
}

/** What a Modify puts in place: its only field beside the type. */
export function rewriteOf(decision: AnyDecision): unknown {
  const { type: _type, ...rewrite } = decision;
  return Object.values(rewrite)[0];
}
