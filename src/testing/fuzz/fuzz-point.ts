import type { HookPoint } from '../../hooks/agent-hooks.ts';

/** The points a policy can be fuzzed at: all but `onEvent`, whose answers mean nothing. */
export type FuzzPoint = Exclude<HookPoint, 'onEvent'>;

/** Where a policy can say no. */
export function canBlock(point: FuzzPoint): boolean {
  return BLOCKING.includes(point);
}

const BLOCKING: readonly FuzzPoint[] = [
  'onTurnStart',
  'onUserMessage',
  'preLlmRequest',
  'onTextWindow',
  'onLlmResponse',
  'preToolUse',
  'onOutgoingMessage',
];
