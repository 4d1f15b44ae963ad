import { isJson } from '../../internal/is-json.ts';
import { kindOf } from '../../internal/kind-of.ts';
import { show } from '../read-answer.ts';
import { callDirectly, type DirectCall } from './call-directly.ts';
import type { Finding, FuzzInput } from './fault.ts';
import { type Asked, askedWith, type Subject } from './subject.ts';
import { leaked } from './texts.ts';

/** What was seen about one input. */
export interface Seen {
  readonly findings: readonly Finding[];
  /** The kind of the decision; `none`, `failed` or `answered` where there is none. */
  readonly decision: string;
  readonly isBlocked: boolean;
}

/** Milliseconds: for an answer at all, and then to tell one that is late from none. */
export interface Patience {
  readonly waitMs: number;
  readonly confirmMs: number;
}

/**
 * Asks three times: as an agent does, as an agent does once more, and with values that can be changed. Nothing for an
 * input that the engine would not have asked about.
 */
export async function examine(
  subject: Subject,
  input: FuzzInput,
  patience: Patience,
): Promise<Seen | undefined> {
  const asked = askedWith(subject, input);
  if (asked === undefined) return undefined;
  const { entry } = subject;
  const timeoutMs = Math.min(entry.timeoutMs, patience.waitMs);
  const answer = read(await subject.ask(asked, { timeoutMs }));
  const isSlow = answer.kind === 'timed-out';
  const waitMs = isSlow ? Math.min(entry.timeoutMs * 1.5 + 100, patience.confirmMs) : timeoutMs;
  const direct = await callDirectly(subject, asked, waitMs);
  const findings: Finding[] = [...lateness(subject, direct, isSlow)];
  if (direct.changed !== undefined)
    findings.push({ kind: 'mutates', says: `it changed ${direct.changed}` });
  findings.push(...failureOf(answer, direct), ...dropped(subject, answer, direct));
  if (answer.decision?.type === 'block') findings.push(...leak(input, answer.decision.reason));
  if (findings.length === 0) {
    const other = otherAnswer(subject, answer, direct);
    findings.push(...(other ?? (await askedAgain(subject, { asked, answer, timeoutMs }))));
  }
  const decision = answer.decision?.type ?? NAMES[answer.type] ?? answer.type;
  const isBlocked = decision === 'block' || decision === 'retry-with-feedback';
  return { findings, decision, isBlocked };
}

interface Answer {
  readonly type: string;
  readonly kind?: string;
  readonly error?: { readonly message: string; readonly cause?: unknown };
  readonly decision?: { readonly type: string; readonly reason?: unknown };
  readonly value?: unknown;
  readonly [other: string]: unknown;
}

const NAMES: { readonly [type: string]: string } = { 'no-opinion': 'none' };

/** Whatever `ask` gives at any point. */
function read(answer: unknown): Answer {
  return answer as Answer;
}

/** An answer that never came, one that came after the limit, and one that kept the thread beyond it. */
function lateness(subject: Subject, direct: DirectCall, isSlow: boolean): readonly Finding[] {
  const limit = subject.entry.timeoutMs;
  const took = Math.round(direct.tookMs);
  if (isSlow && direct.state === 'waiting')
    return [
      { kind: 'hangs', says: `it had not answered after ${took} ms; its limit is ${limit} ms` },
    ];
  if (direct.state !== 'waiting' && direct.tookMs > limit)
    return [{ kind: 'late', says: `it answered after ${took} ms; its limit is ${limit} ms` }];
  return [];
}

function failureOf(answer: Answer, direct: DirectCall): readonly Finding[] {
  const says = answer.error?.message ?? '';
  switch (answer.kind) {
    case 'threw': {
      // What is frozen throws where it is changed: that is said once, as what it is.
      if (direct.changed !== undefined && direct.state !== 'threw') return [];
      const { cause } = answer.error ?? {};
      if (direct.state !== 'threw' && cause instanceof TypeError && FROZEN.test(cause.message))
        return [{ kind: 'mutates', says: 'it tried to change its input, which is frozen' }];
      const thrown = cause instanceof Error ? `${cause.name}: ${cause.message}` : show(cause);
      return [{ kind: 'throws', says: `it threw ${thrown}` }];
    }
    case 'illegal':
      return isJson(direct.value) || typeof direct.value !== 'object'
        ? [{ kind: 'illegal', says: `it returned ${kindOf(direct.value)}: ${says}` }]
        : [{ kind: 'not-json', says: `what it returned is no JSON: ${says}` }];
    case 'undecided':
      return [{ kind: 'forgets-to-return', says: 'it returned nothing although it must decide' }];
    case 'invalid-rewrite':
      return [{ kind: 'invalid-rewrite', says }];
    default:
      return [];
  }
}

/** What V8 says of an attempt on a frozen value. */
const FROZEN = /read only property|not extensible|Cannot (add|delete|redefine|define) property/;

/** A decision was made and went nowhere. */
function dropped(
  { point }: Subject,
  answer: Answer,
  { made, value, state }: DirectCall,
): readonly Finding[] {
  const isWrap = point === 'wrapLlmCall' || point === 'wrapToolUse';
  if (isWrap || made === undefined || value !== undefined || state !== 'answered') return [];
  if (answer.type !== 'no-opinion') return [];
  return [
    {
      kind: 'forgets-to-return',
      says: `it made a decision of type '${made}' and returned nothing`,
    },
  ];
}

function leak(input: FuzzInput, reason: unknown): readonly Finding[] {
  if (!leaked(JSON.stringify(input), String(reason))) return [];
  return [
    { kind: 'leaks-input', says: 'a secret of the input is in its reason, which events keep' },
  ];
}

/** The call in between may already have got another answer. */
function otherAnswer(
  { entry }: Subject,
  answer: Answer,
  { state, value }: DirectCall,
): readonly Finding[] | undefined {
  if (entry.codec === undefined || state !== 'answered' || answer.type === 'failed')
    return undefined;
  const given = value === undefined ? undefined : entry.codec.read(value);
  const decision = given !== undefined && 'decision' in given ? given.decision : undefined;
  if (JSON.stringify(decision) === JSON.stringify(answer.decision)) return undefined;
  const second = decision === undefined ? 'none' : `the decision '${decision.type}'`;
  return [{ kind: 'unstable', says: `the same question got ${nameOf(answer)} and then ${second}` }];
}

/** The same question, and whether it leaves alone what it has rewritten. */
async function askedAgain(
  subject: Subject,
  first: { readonly asked: Asked; readonly answer: Answer; readonly timeoutMs: number },
): Promise<readonly Finding[]> {
  const { asked, answer, timeoutMs } = first;
  const again = read(await subject.ask(asked, { timeoutMs }));
  if (essence(again) !== essence(answer)) {
    const says = `the same question got ${nameOf(answer)} and then ${nameOf(again)}`;
    return [{ kind: 'unstable', says }];
  }
  if (answer.decision?.type !== 'modify' || !RECHECKED.has(subject.point)) return [];
  const rewritten = { ...asked, args: [answer.value, ...asked.args.slice(1)] };
  const third = read(await subject.ask(rewritten, { timeoutMs, recheck: true }));
  if (third.kind !== 'changed-on-recheck') return [];
  return [
    { kind: 'unsettled-rewrite', says: 'asked again about its own rewrite, it changed it again' },
  ];
}

/** The points at which an earlier verdict is asked for once more. */
const RECHECKED: ReadonlySet<string> = new Set([
  'onUserMessage',
  'preLlmRequest',
  'onLlmResponse',
  'preToolUse',
  'onOutgoingMessage',
]);

/** What has to be the same: all but errors, of which two are never one. */
function essence({ error: _error, ...rest }: Answer): string {
  return JSON.stringify(rest);
}

function nameOf({ type, kind, decision }: Answer): string {
  if (decision !== undefined) return `the decision '${decision.type}'`;
  return kind === undefined ? `'${NAMES[type] ?? type}'` : `a failure (${kind})`;
}
