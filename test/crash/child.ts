/** Runs the turns of its plan, all at once, and goes on with those that an earlier process left, until it is killed. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import {
  createAgent,
  type ModelRequest,
  Policy,
  ResponseDecision,
  ResponseRetryCapError,
  type RunResult,
  type ScriptedAnswer,
  scriptedModel,
  ThreadBusyError,
  ThreadError,
  type ThreadStore,
  tool,
} from '../../src/index.ts';
import { openPlace } from './open-place.ts';
import { type ChildPlan, type Ended, FILES, isStubborn, STEPS } from './plan.ts';

const plan: ChildPlan = JSON.parse(process.argv[2] ?? '');
const LEASE_MS = 150;

const note = (file: string, line: string): void => {
  // One write of one line: whole, or not there, whenever this process dies.
  appendFileSync(join(plan.folder, file), `${line}\n`);
};

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const pay = tool({
  name: 'pay',
  description: 'Pays; must not happen twice',
  inputSchema: z.object({ key: z.string() }),
  tier: 'auto',
  execute: async ({ key }) => {
    await pause(1);
    note(FILES.effects, key);
    await pause(1);
    return `paid ${key}`;
  },
});

const look = tool({
  name: 'look',
  description: 'Looks something up',
  inputSchema: z.object({}),
  sideEffects: 'none',
  execute: () => 'seen',
});

class Picky extends Policy {
  override readonly name = 'picky';

  override onLlmResponse(
    ...[, ctx]: Parameters<NonNullable<Policy['onLlmResponse']>>
  ): ResponseDecision {
    if (!isStubborn(ctx.threadId)) return ResponseDecision.accept();
    note(FILES.rejected, ctx.threadId);
    return ResponseDecision.retryWithFeedback('Try again');
  }
}

/** Goes by the history alone, as a model does: so it does not matter which process asks. */
async function answer(request: ModelRequest): Promise<ScriptedAnswer> {
  await pause(1);
  const said = JSON.stringify(request.messages.find(({ role }) => role === 'user'));
  const threadId = /thread-\d+/.exec(said)?.[0];
  const step = request.messages.filter(({ role }) => role === 'tool').length;
  if (step >= STEPS) return 'done';
  const key = `${threadId}/${step}`;
  return { toolCalls: [{ name: 'pay', input: { key } }, { name: 'look' }] };
}

/** Ends this process where the plan says, without a word to anybody. */
function mortal(store: ThreadStore): ThreadStore {
  let commits = 0;
  const die = (): void => {
    process.kill(process.pid, 'SIGKILL');
  };
  const commit: ThreadStore['commit'] = async (...args) => {
    commits += 1;
    const moment = commits === plan.kill?.commit ? plan.kill.moment : undefined;
    if (moment === 'before') die();
    const committed = store.commit(...args);
    if (moment === 'sent') setImmediate(die);
    await committed;
    if (moment === 'after') die();
  };
  return new Proxy(store, {
    get: (target, member) => {
      if (member === 'commit') return commit;
      const value: unknown = Reflect.get(target, member);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

const store = mortal(openPlace(plan.place));
const agent = createAgent({
  name: 'clerk',
  model: scriptedModel(Array.from({ length: 10_000 }, () => answer)),
  tools: [pay, look],
  hooks: [new Picky()],
  store,
  leaseMs: LEASE_MS,
});
agent.on('tool.succeeded', ({ threadId, callId }) => note(FILES.stored, `${threadId} ${callId}`));

async function goOn(threadId: string): Promise<Ended> {
  for (;;) {
    try {
      const known = await store.load(threadId);
      const result =
        known === undefined
          ? await agent.run({ threadId, message: `Pay for ${threadId}` })
          : await agent.resume({ threadId });
      return { threadId, status: result.status, ...errorOf(result) };
    } catch (error) {
      if (ThreadError.isInstance(error) && error.code === 'nothing-to-continue') {
        return storedEnd(threadId);
      }
      // The process before this one held it, and its claim runs out.
      if (!ThreadBusyError.isInstance(error)) throw error;
      await pause(10);
    }
  }
}

function errorOf(result: RunResult): Pick<Ended, 'code' | 'streak'> {
  if (result.status !== 'failed') return {};
  const { code } = result.error;
  return result.error instanceof ResponseRetryCapError
    ? { code, streak: result.error.streak }
    : { code };
}

/** Of a turn that ended just before its process was killed. */
async function storedEnd(threadId: string): Promise<Ended> {
  const events = await store.readEvents(threadId);
  const finished = events.findLast((event) => event.type === 'turn.finished');
  const raised = events.findLast((event) => event.type === 'error.raised');
  const status = finished?.status ?? 'unknown';
  return { threadId, status, ...(status === 'failed' && raised && { code: raised.code }) };
}

const work = async (threadId: string): Promise<void> =>
  note(FILES.ended, JSON.stringify(await goOn(threadId)));

process.stdout.write('ready\n');
await Promise.all(plan.threads.map(work));
await agent.settled();
await store.close?.();
