import { editDistance, nearestName } from '../internal/nearest-name.ts';
import type { HookPoint } from './agent-hooks.ts';
import { HOOK_POINTS, isHookPoint } from './points.ts';

/** The hook that a method was most likely meant to be; `undefined` for a hook and for any other method. */
export function intendedHook(name: string): HookPoint | undefined {
  if (isHookPoint(name)) return undefined;
  // `pre_tool_use` and `pretooluse` are the same words, as other languages write them.
  const words = name.replace(/(?!^)_/g, '').toLowerCase();
  const same =
    HOOK_POINTS.find((point) => point.toLowerCase() === words) ??
    WITHOUT_ON.get(words) ??
    SURE.get(words);
  if (same !== undefined) return same;
  const said = withoutOn(camelCase(name));
  if (/^(on|pre|post|wrap|before|after|modify)[A-Z]/.test(said)) {
    const ours = said
      .replace(/^before/, 'pre')
      .replace(/^after/, 'post')
      .replace(/^modify/, 'on');
    return (
      nearest(ours, HOOK_POINTS) ??
      HOOK_POINTS.find((point) => startsLike(ours, point)) ??
      elsewhere(said)
    );
  }
  const isAsLong = Math.abs(name.length - 'systemPrompt'.length) <= 2;
  return isAsLong ? nearest(name, ['systemPrompt']) : undefined;
}

/** A first underscore marks what is private, and stays. */
function camelCase(name: string): string {
  return name.replace(/(?!^)_+([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}

/** `onBeforeToolUse` is `beforeToolUse` with a word too many. */
function withoutOn(name: string): string {
  return name.replace(/^on(Pre|Post|Wrap|Before|After)(?=[A-Z])/, (_match, word: string) =>
    word.toLowerCase(),
  );
}

function nearest<Name extends string>(name: string, known: readonly Name[]): Name | undefined {
  const found = nearestName(name, known);
  return known.find((one) => one === found && isSlip(name, one));
}

/** Of few letters two that differ make another word: `onEvict` is no `onEvent`, as `onEvnet` is. */
function isSlip(name: string, known: string): boolean {
  const word = known.replace(/^(on|wrap|before|after)/, '');
  if (word.length > 'Event'.length || name.startsWith(known)) return true;
  const [given, meant] = [name.toLowerCase(), known.toLowerCase()];
  return editDistance(given, meant) < 2 || sorted(given) === sorted(meant);
}

function sorted(text: string): string {
  return [...text].sort().join('');
}

/** `preToolCall` is too far from `preToolUse` for a slip of the finger, and still means nothing else. */
function startsLike(name: string, point: string): boolean {
  const start = /^(?:pre|post|wrap)[A-Z][a-z]+/.exec(point)?.[0];
  return start !== undefined && name.startsWith(start);
}

/** Hooks that lost their `on`. One word alone, as `error`, may well be a method of the policy's own. */
const WITHOUT_ON: ReadonlyMap<string, HookPoint> = new Map(
  HOOK_POINTS.filter((point) => /^on[A-Z][a-z]+[A-Z]/.test(point)).map((point) => [
    point.slice('on'.length).toLowerCase(),
    point,
  ]),
);

/**
 * Names of other libraries that mean one of our points and nothing else: LangChain, the SDKs of OpenAI, Anthropic,
 * Google and Vercel. They count as they are written, without regard to case: `toolCallCount` is nobody's hook.
 */
const SURE: ReadonlyMap<string, HookPoint> = new Map(
  Object.entries({
    onUserMessage: ['onMessage', 'UserPromptSubmit', 'onUserPromptSubmit'],
    onTurnStart: ['beforeAgent', 'beforeAgentCallback', 'onAgentStart'],
    preLlmRequest: [
      'beforeModelCallback',
      'preModelCall',
      'onLlmStart',
      'handleLlmStart',
      'prepareStep',
      'transformParams',
    ],
    wrapLlmCall: ['wrapGenerate', 'wrapStream'],
    onLlmResponse: [
      'afterModelCallback',
      'postModelCall',
      'afterLlmCall',
      'postLlmCall',
      'onLlmEnd',
      'handleLlmEnd',
    ],
    preToolUse: [
      'canUseTool',
      'onToolCall',
      'onToolCallStart',
      'onToolStart',
      'handleToolStart',
      'toolCall',
      'validateToolCall',
    ],
    postToolUse: [
      'onToolResult',
      'onToolCallFinish',
      'onToolCallEnd',
      'onToolEnd',
      'handleToolEnd',
      'handleToolError',
      'toolResult',
    ],
    onContextCompact: ['onPreCompact', 'preCompact', 'onCompact'],
    onError: ['onLlmError', 'handleLlmError'],
  } satisfies { readonly [Point in HookPoint]?: readonly string[] }).flatMap(([point, names]) =>
    names.map((name) => [name.toLowerCase(), point as HookPoint] as const),
  ),
);

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
  const found = nearest(name, Object.keys(ELSEWHERE));
  return found === undefined ? undefined : ELSEWHERE[found];
}
