import type { AgentHooks, HookContext, ToolResult } from '../../src/index.ts';
import { POINTS } from '../../src/index.ts';
import type { Asking } from './asking.ts';
import { decide } from './moves.ts';
import { noteAnswer } from './note-answer.ts';
import type { Process } from './process.ts';
import { type Point, type PolicyScript, SCRIPTED_POINTS } from './script.ts';
import { pause } from './timers.ts';
import type { World } from './world.ts';

const LIMIT_MS = 10;

/** The policies of a script, for one process. Each does what is next for it, and notes what must follow from it. */
export function policiesOf(world: World, process: Process): readonly AgentHooks[] {
  return world.script.policies.flatMap((script, index) =>
    // One without a method is refused as a mistake.
    Object.keys(script.moves).length === 0 ? [] : [policyOf(world, process, { script, index })],
  );
}

function policyOf(
  world: World,
  process: Process,
  { script, index }: { readonly script: PolicyScript; readonly index: number },
): AgentHooks {
  const points = SCRIPTED_POINTS.filter((point) => script.moves[point] !== undefined);
  // A watcher is always open.
  const failureAt = (point: Point): 'open' | 'closed' =>
    point === 'onEvent' ? 'open' : (script.failure ?? POINTS[point].failure);
  const options = points.map((point) => [
    point,
    { timeoutMs: LIMIT_MS, failure: failureAt(point) },
  ]);
  const methods = points.map((point) => [
    point,
    (payload: object, ...rest: unknown[]): unknown => {
      const [result, ctx] = point === 'postToolUse' ? rest : [undefined, ...rest];
      return answer(world.nextMove(index, process.frozen ? 'frozen' : point), {
        world,
        process,
        policy: index,
        point,
        payload,
        result: result as ToolResult | undefined, // as the port says
        recheck: (ctx as HookContext).recheck,
        // Read only by who needs it: it is made when it is read.
        get signal() {
          return (ctx as HookContext).signal;
        },
        isClosed: failureAt(point) === 'closed',
        isAsync: script.async === true,
      });
    },
  ]);
  return {
    name: `p${index}`,
    options: Object.fromEntries(options),
    ...Object.fromEntries(methods),
  };
}

function answer(move: string, asking: Asking): unknown {
  asking.world.see(asking, [asking.payload, asking.result]);
  if (asking.process.frozen) return undefined;
  // What is heard is no moment of the run: it may come when the run is over.
  if (asking.point !== 'onEvent') asking.process.moment();
  switch (move) {
    case 'throw':
      fail(asking);
      throw new Error('the policy is broken');
    case 'reject':
      fail(asking);
      return Promise.reject(new Error('the policy is broken'));
    case 'hang':
      fail(asking);
      return new Promise(() => undefined);
    case 'late':
      fail(asking);
      return limitOf(asking.signal).then(() => decide(LATE[asking.point] ?? 'none', asking));
    case 'illegal':
      fail(asking);
      return illegal(asking.world.tick());
    case 'mutate':
      mutate(asking);
      return undefined;
    default: {
      const decision = decide(move, asking);
      noteAnswer(move, asking);
      asking.world.see(asking, decision);
      return asking.isAsync ? Promise.resolve(decision) : decision;
    }
  }
}

/** Until its time is over. A timer of its own could be late, and the answer would not be. */
async function limitOf(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  }
  await pause(1);
}

/** What must not be taken for an answer any more when it comes. */
const LATE: { readonly [point in Point]?: string } = {
  onTurnStart: 'proceed',
  onUserMessage: 'modify',
  preLlmRequest: 'proceed',
  onLlmResponse: 'accept',
  preToolUse: 'allow',
  postToolUse: 'keep',
  onOutgoingMessage: 'proceed',
};

const ILLEGAL = [
  null,
  42,
  'allow',
  true,
  [],
  {},
  { type: 'allow!' },
  { type: 'block' },
  { type: 'modify' },
  { type: 'proceed', extra: 1 },
  { type: 'retry-with-feedback', feedback: '' },
];

function illegal(number: number): unknown {
  return ILLEGAL[number % ILLEGAL.length];
}

/** The answer is none: where that counts, nothing of what was asked about goes through. */
function fail(asking: Asking): void {
  if (asking.isClosed) noteAnswer('fail', asking);
}

/** Tries to change everything it was given. */
function mutate({ world, payload, result }: Asking): void {
  const before = JSON.stringify([payload, result]);
  for (const target of [payload, result]) vandalize(target);
  if (JSON.stringify([payload, result]) !== before) world.problem('a policy changed its payload');
}

function vandalize(target: unknown): void {
  if (typeof target !== 'object' || target === null) return;
  for (const key of [...Reflect.ownKeys(target), 'added']) {
    vandalize(Reflect.get(target, key));
    Reflect.set(target, key, 'changed');
    Reflect.deleteProperty(target, key);
  }
}
