import { checkKeys } from '../errors/check-keys.ts';
import type { AgentHooks, HookOptions, HookPoint } from '../hooks/agent-hooks.ts';

/** What a faulty policy is called, and how it is asked at its point. */
export interface FaultyOptions {
  /** Default: `throwing`, `hanging`, `lying` or `late`. */
  readonly name?: string;
  /** Such as a short `timeoutMs`, or `failure: 'open'`. */
  readonly options?: HookOptions;
}

/** The points at which an answer can come later. */
type WaitedPoint = Exclude<HookPoint, 'systemPrompt'>;

/** A guard that throws whenever it is asked: to see what an agent does then. */
export function throwingPolicy(
  point: HookPoint,
  given: FaultyOptions & { readonly error?: unknown } = {},
): AgentHooks {
  return faulty('throwing', { point, given, more: ['error'] }, () => {
    const { error = new Error('this policy always throws') } = given;
    throw error;
  });
}

/** A guard that never answers, whatever its signal says. It leaves nothing behind that keeps a process alive. */
export function hangingPolicy(point: WaitedPoint, given: FaultyOptions = {}): AgentHooks {
  const never = (): Promise<never> => new Promise(() => undefined);
  return faulty(
    'hanging',
    { point, given },
    point === 'wrapLlmCall' ? () => later(never()) : never,
  );
}

/** A guard whose answer is no decision of any point. Default: `{ type: 'yes' }`. */
export function lyingPolicy(
  point: HookPoint,
  given: FaultyOptions & { readonly answer?: unknown } = {},
): AgentHooks {
  return faulty('lying', { point, given, more: ['answer'] }, () => {
    const { answer = { type: 'yes' } } = given;
    if (point === 'wrapLlmCall') return later(Promise.resolve([answer]));
    return point === 'wrapToolUse' ? Promise.resolve(answer) : answer;
  });
}

/** A guard that answers after so many milliseconds: nothing, unless it is given an answer. Around a call it then goes on. */
export function latePolicy(
  point: WaitedPoint,
  delayMs: number,
  given: FaultyOptions & { readonly answer?: unknown } = {},
): AgentHooks {
  const after = <T>(value: T): Promise<T> =>
    new Promise((resolve) => setTimeout(() => resolve(value), delayMs));
  return faulty('late', { point, given, more: ['answer'] }, (payload: unknown, next: unknown) => {
    if (point !== 'wrapLlmCall' && point !== 'wrapToolUse') return after(given.answer);
    // At these two points the second argument is the call.
    const goOn = after(undefined).then(() => (next as (payload: unknown) => unknown)(payload));
    return point === 'wrapLlmCall' ? later(goOn) : goOn;
  });
}

/**
 * One of each at a point, by name: for a table of tests that says what an app does when its guards fail. The late one
 * takes 30 ms of 10, the hanging one has 10 ms.
 *
 * @example
 * test.each(faultyPolicies('preToolUse'))('a %s guard lets nothing through', async (_, guard) => …);
 */
export function faultyPolicies(
  point: HookPoint,
): readonly (readonly [name: string, policy: AgentHooks])[] {
  const always = [throwingPolicy(point), lyingPolicy(point)];
  const options = { timeoutMs: 10 };
  const waiting =
    point === 'systemPrompt'
      ? []
      : [hangingPolicy(point, { options }), latePolicy(point, 30, { options })];
  return [...always, ...waiting].map((policy) => [policy.name ?? '', policy]);
}

function faulty(
  kind: string,
  {
    point,
    given,
    more = [],
  }: {
    readonly point: HookPoint;
    readonly given: FaultyOptions;
    readonly more?: readonly string[];
  },
  method: (payload: unknown, next: unknown) => unknown,
): AgentHooks {
  checkKeys(`${kind}Policy`, given, ['name', 'options', ...more]);
  const { name = kind, options } = given;
  const hooks = { name, ...(options && { options: { [point]: options } }), [point]: method };
  // What it answers is what no type allows: that is what it is for.
  return Object.freeze(hooks) as AgentHooks;
}

async function* later(parts: Promise<unknown>): AsyncGenerator<unknown> {
  yield* (await parts) as AsyncIterable<unknown>; // Around a model there are parts.
}
