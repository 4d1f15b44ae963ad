import { type ConfigCode, ConfigError } from '../errors/config-error.ts';
import { nearestName } from '../internal/nearest-name.ts';
import type { HookOptions, HookPoint } from './agent-hooks.ts';
import { HOOK_POINTS, isHookPoint, POINTS } from './points.ts';

const OPTIONS: readonly (keyof HookOptions)[] = ['timeoutMs', 'failure', 'mustDecide'];

/** A longer timer fires at once in Node, which would make every hook fail. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** Refuses every option that would have no effect, or another one than it says. */
export function checkHookOptions(options: unknown, where: string): void {
  if (options === undefined) return;
  const place = `${where}.options`;
  if (!isRecord(options))
    throw problem('invalid-option', place, ['is no object', 'Use `{ <point>: { ... } }`']);
  for (const [point, ofPoint] of Object.entries(options)) {
    if (!isHookPoint(point)) throw problem('unknown-option', place, unknown(point, HOOK_POINTS));
    if (ofPoint !== undefined) checkPoint(point, ofPoint, `${place}.${point}`);
  }
}

function checkPoint(point: HookPoint, options: unknown, place: string): void {
  if (!isRecord(options))
    throw problem('invalid-option', place, ['is no object', 'Use `{ timeoutMs: 500 }`']);
  for (const name of Object.keys(options)) {
    if (!OPTIONS.some((known) => known === name))
      throw problem('unknown-option', place, unknown(name, OPTIONS));
  }
  const { timeoutMs, failure, mustDecide } = options;
  if (timeoutMs !== undefined && !isTimeout(timeoutMs)) {
    throw problem('invalid-option', `${place}.timeoutMs`, [
      'is no time limit',
      `Use milliseconds above 0 and up to ${MAX_TIMEOUT_MS}`,
    ]);
  }
  if (failure !== undefined && failure !== 'closed' && failure !== 'open') {
    throw problem('invalid-option', `${place}.failure`, ['is unknown', "Use 'closed' or 'open'"]);
  }
  if (failure === 'closed' && point === 'onEvent') {
    throw problem('invalid-option', `${place}.failure`, [
      "cannot be 'closed', as `onEvent` only watches",
      'Move what must not fail to a point that decides',
    ]);
  }
  if (mustDecide !== undefined && typeof mustDecide !== 'boolean') {
    throw problem('invalid-option', `${place}.mustDecide`, ['is no boolean', 'Use true or false']);
  }
  if (mustDecide === true && POINTS[point].codec === undefined) {
    throw problem('invalid-option', `${place}.mustDecide`, [
      'is set at a point that answers with no decision',
      'Leave it out',
    ]);
  }
}

function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTimeout(value: unknown): boolean {
  return typeof value === 'number' && value > 0 && value <= MAX_TIMEOUT_MS;
}

function unknown(name: string, known: readonly string[]): [what: string, fix: string] {
  const nearest = nearestName(name, known);
  return [
    `has an unknown key '${name}'`,
    nearest === undefined ? `Use one of: ${known.join(', ')}` : `Did you mean '${nearest}'?`,
  ];
}

function problem(
  code: ConfigCode,
  where: string,
  [what, fix]: readonly [what: string, fix: string],
): ConfigError {
  return new ConfigError(code, { where, what, fix });
}
