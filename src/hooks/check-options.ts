import type { ConfigCode } from '../errors/config-error.ts';
import { nearestName } from '../internal/nearest-name.ts';
import { MAX_TIMER_MS } from '../internal/timer-limit.ts';
import type { HookOptions, HookPoint } from './agent-hooks.ts';
import { HOOK_POINTS, isHookPoint, POINTS } from './points.ts';
import { type Report, refuse } from './report.ts';

const OPTIONS: readonly (keyof HookOptions)[] = ['timeoutMs', 'failure', 'mustDecide'];

/** Reports every option that would have no effect, or another one than it says. Default: the first is thrown. */
export function checkHookOptions(options: unknown, where: string, report: Report = refuse): void {
  if (options === undefined) return;
  const place = `${where}.options`;
  const say = reporter('options', report);
  if (!isRecord(options)) {
    say('invalid-option', place, ['is no object', 'Use `{ <point>: { ... } }`']);
    return;
  }
  for (const [point, ofPoint] of Object.entries(options)) {
    if (!isHookPoint(point)) say('unknown-option', place, unknown(point, HOOK_POINTS));
    else if (ofPoint !== undefined) checkPoint(point, ofPoint, { place: `${place}.${point}`, say });
  }
}

interface Setting {
  readonly place: string;
  readonly say: Say;
}

function checkPoint(point: HookPoint, options: unknown, { place, say }: Setting): void {
  if (!isRecord(options)) {
    say('invalid-option', place, ['is no object', 'Use `{ timeoutMs: 500 }`']);
    return;
  }
  for (const name of Object.keys(options)) {
    if (!OPTIONS.some((known) => known === name))
      say('unknown-option', place, unknown(name, OPTIONS));
  }
  const { timeoutMs, failure, mustDecide } = options;
  if (timeoutMs !== undefined && !isTimeout(timeoutMs)) {
    say('invalid-option', `${place}.timeoutMs`, [
      'is no time limit',
      `Use milliseconds above 0 and up to ${MAX_TIMER_MS}`,
    ]);
  }
  checkFailure(point, failure, { place: `${place}.failure`, say });
  checkMustDecide(point, mustDecide, { place: `${place}.mustDecide`, say });
}

function checkFailure(point: HookPoint, failure: unknown, { place, say }: Setting): void {
  if (failure !== undefined && failure !== 'closed' && failure !== 'open')
    say('invalid-option', place, ['is unknown', "Use 'closed' or 'open'"]);
  if (failure !== 'closed' || point !== 'onEvent') return;
  say('invalid-option', place, [
    "cannot be 'closed', as `onEvent` only watches",
    'Move what must not fail to a point that decides',
  ]);
}

function checkMustDecide(point: HookPoint, mustDecide: unknown, { place, say }: Setting): void {
  if (mustDecide !== undefined && typeof mustDecide !== 'boolean')
    say('invalid-option', place, ['is no boolean', 'Use true or false']);
  if (mustDecide !== true || POINTS[point].codec !== undefined) return;
  say('invalid-option', place, ['is set at a point that answers with no decision', 'Leave it out']);
}

function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isTimeout(value: unknown): boolean {
  return typeof value === 'number' && value > 0 && value <= MAX_TIMER_MS;
}

function unknown(name: string, known: readonly string[]): [what: string, fix: string] {
  const nearest = nearestName(name, known);
  return [
    `has an unknown key '${name}'`,
    nearest === undefined ? `Use one of: ${known.join(', ')}` : `Did you mean '${nearest}'?`,
  ];
}

type Say = (code: ConfigCode, where: string, text: readonly [what: string, fix: string]) => void;

function reporter(member: string, report: Report): Say {
  return (code, where, [what, fix]) => report({ code, where, what, fix, member });
}
