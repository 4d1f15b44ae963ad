import { ConfigError } from '../errors/config-error.ts';
import { isThenable } from '../internal/is-thenable.ts';
import type { AgentHooks, HookPoint } from './agent-hooks.ts';
import type { HookContext } from './context.ts';
import type { HookEntry } from './entry.ts';

/** The points a condition can be asked at: all that give a context. */
type LimitedPoint = Exclude<HookPoint, 'systemPrompt'>;

/** What a policy is about to be asked. Switch on `point` to narrow `payload`. */
export type HookQuestion = {
  [Point in LimitedPoint]: {
    readonly point: Point;
    readonly payload: Parameters<NonNullable<AgentHooks[Point]>>[0];
  };
}[LimitedPoint];

/** When a policy is asked at all. */
export interface Limit {
  /** Which function set it, for messages. */
  readonly by: string;
  /** Where it counts. Absent: at every point. */
  readonly points?: readonly HookPoint[];
  readonly applies: (ctx: HookContext<never>, question: HookQuestion) => unknown;
  /** The tools it names, each of which an agent must have; absent where it need not. */
  readonly patterns?: readonly string[];
}

/** What a method that was not called answers with: no opinion, also where one has to be given. */
export const NOT_ASKED: unique symbol = Symbol('not asked');

/** A method that is called only where every limit applies. Whatever is not plainly true or false is a failure. */
export function limitCall(
  point: HookPoint,
  call: HookEntry['call'],
  limits: readonly Limit[],
): HookEntry['call'] {
  return limits.reduceRight((inner, limit) => {
    const counts = limit.points?.includes(point) ?? true;
    return counts ? limited(point, inner, limit) : inner;
  }, call);
}

function limited(point: HookPoint, call: HookEntry['call'], limit: Limit): HookEntry['call'] {
  return (payload, second, third) => {
    // The context is the last argument of every method, and the payload is that of the point.
    const ctx = (third ?? second) as HookContext<never>;
    const applies = limit.applies(ctx, { point, payload } as HookQuestion);
    const goOn = (answer: unknown): unknown => {
      if (answer === true) return call(payload, second, third);
      if (answer === false) return notAsked(point, payload, second);
      throw new ConfigError('invalid-input', {
        where: `the condition of \`${limit.by}\` at ${point}`,
        what: 'answered with something else than true or false',
        fix: 'Return a boolean on every path: nothing else can mean that a policy is not needed',
      });
    };
    if (!isThenable(applies)) return goOn(applies);
    // Nobody is to be asked when the time for it is over.
    const later = Promise.resolve(applies).then((answer) =>
      ctx.signal.aborted ? undefined : goOn(answer),
    );
    return point === 'wrapLlmCall' ? streamOf(later) : later;
  };
}

/** What the method gives once it may be asked, as the stream that is needed at once. */
async function* streamOf(later: Promise<unknown>): AsyncGenerator<unknown> {
  yield* (await later) as AsyncIterable<unknown>; // Anything else throws here, in the name of the policy.
}

/** Around a call, not being asked means that the call goes on as it is. */
function notAsked(point: HookPoint, payload: unknown, second: unknown): unknown {
  if (point !== 'wrapLlmCall' && point !== 'wrapToolUse') return NOT_ASKED;
  // At these two points the second argument is the call.
  return (second as (payload: unknown) => unknown)(payload);
}
