import { nearestName } from '../internal/nearest-name.ts';
import type { HookPoint } from './agent-hooks.ts';
import { HOOK_POINTS, isHookPoint } from './points.ts';

/** The hook that a method was most likely meant to be; `undefined` for a hook and for any other method. */
export function intendedHook(name: string): HookPoint | undefined {
  if (isHookPoint(name)) return undefined;
  // `pre_tool_use` and `pretooluse` are the same words, as other languages write them.
  const words = name.replace(/(?!^)_/g, '').toLowerCase();
  const same = HOOK_POINTS.find((point) => point.toLowerCase() === words);
  if (same !== undefined) return same;
  if (/^(on|pre|post|wrap|before|after|modify)[A-Z]/.test(name)) {
    const ours = name
      .replace(/^before/, 'pre')
      .replace(/^after/, 'post')
      .replace(/^modify/, 'on');
    return (
      nearestPoint(ours, HOOK_POINTS) ??
      HOOK_POINTS.find((point) => startsLike(ours, point)) ??
      elsewhere(name)
    );
  }
  const isAsLong = Math.abs(name.length - 'systemPrompt'.length) <= 2;
  return isAsLong ? nearestPoint(name, ['systemPrompt']) : undefined;
}

function nearestPoint(name: string, known: readonly HookPoint[]): HookPoint | undefined {
  const nearest = nearestName(name, known);
  return known.find((point) => point === nearest);
}

/** `preToolCall` is too far from `preToolUse` for a slip of the finger, and still means nothing else. */
function startsLike(name: string, point: string): boolean {
  const start = /^(?:pre|post|wrap)[A-Z][a-z]+/.exec(point)?.[0];
  return start !== undefined && name.startsWith(start);
}

/** What whoever comes from Mantle or Unmute has in the fingers, as far as it is not near one of ours. */
const ELSEWHERE: Readonly<Record<string, HookPoint>> = {
  modifyIncomingMessage: 'onUserMessage',
  modifyModelRequest: 'preLlmRequest',
  modifyModelResponse: 'onLlmResponse',
  modifyToolCall: 'preToolUse',
  modifyToolResult: 'postToolUse',
  beforeModel: 'preLlmRequest',
  wrapModel: 'wrapLlmCall',
  afterModel: 'onLlmResponse',
  wrapFailure: 'onError',
};

function elsewhere(name: string): HookPoint | undefined {
  const nearest = nearestName(name, Object.keys(ELSEWHERE));
  return nearest === undefined ? undefined : ELSEWHERE[nearest];
}
