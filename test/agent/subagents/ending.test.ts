import {
  type ChatModel,
  defineHooks,
  ModelError,
  type ModelRequest,
  memoryStore,
  type RunResult,
  type ThreadStore,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import {
  askFirst,
  callClerk,
  callPay,
  callThen,
  often,
  outputsOf,
  STORES,
  team,
  yesTo,
} from './team.ts';

const asking = { clerk: { hooks: [askFirst] } };
const CHAIN = ['t', 't/1.1.0', 't/1.1.0/1.1.0'];

async function phases(store: ThreadStore): Promise<readonly unknown[]> {
  return Promise.all(CHAIN.map(async (id) => (await store.load(id))?.state['phase']));
}

const CANCELLED = { name: 'finished', outcome: { status: 'cancelled' } };

/** A model that says when it was asked, and never answers, whatever its signal says. */
function hangingModel(): ChatModel & { readonly asked: Promise<void> } {
  let tell = (): void => {};
  const asked = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const hang = (): Promise<never> => {
    tell();
    return new Promise(() => {});
  };
  return {
    id: 'hanging',
    asked,
    generate: hang,
    stream: () => ({ [Symbol.asyncIterator]: () => ({ next: hang }) }),
  };
}

describe.each(STORES)('subagents that wait, on %s', (_name, open) => {
  test('are ended by a cancel of the outermost turn, all the way down', async () => {
    const { desk, log, store } = team({ ...asking, store: open() });
    const paused = await desk.run({ threadId: 't', message: 'go' });
    const result = await desk.cancel('t');
    expect(result.status).toBe('cancelled');
    expect(await phases(store)).toMatchObject([CANCELLED, CANCELLED, CANCELLED]);
    expect(await desk.pendingApprovals()).toEqual([]);
    const late = desk.resume({ threadId: 't', answers: yesTo(paused) });
    await expect(late).rejects.toMatchObject({ code: 'approval-answered' });
    expect(log).toEqual([]);
    const next = await team({ store, desk: { script: ['hello'] } }).desk.run({
      threadId: 't',
      message: 'hi',
    });
    expect(next).toMatchObject({ status: 'completed', text: 'hello' });
  });

  test('refuse a new message, unless it supersedes them; then all of them end', async () => {
    const store = open();
    const { desk, log } = team({ ...asking, store });
    const paused = await desk.run({ threadId: 't', message: 'go' });
    const refused = desk.run({ threadId: 't', message: 'well?' });
    await expect(refused).rejects.toMatchObject({
      code: 'pending-approval',
      approvalIds: yesTo(paused).map(({ approvalId }) => approvalId),
    });
    const next = team({ ...asking, store, desk: { script: ['hello'] } }).desk;
    const result = await next.run({ threadId: 't', message: 'never mind', supersede: true });
    expect(result).toMatchObject({ status: 'completed', text: 'hello', turnId: '2' });
    expect((await phases(store)).slice(1)).toMatchObject([CANCELLED, CANCELLED]);
    const approval = await store.findApproval(yesTo(paused)[0]?.approvalId ?? '');
    expect(approval?.status).toBe('superseded');
    expect(await desk.pendingApprovals()).toEqual([]);
    const turns = (await store.readEvents('t')).flatMap((event) =>
      event.type === 'turn.finished' ? [event.status] : [],
    );
    expect(turns).toEqual(['cancelled', 'completed']);
    expect(log).toEqual([]);
  });

  test('are ended with their thread', async () => {
    const { desk, store } = team({ ...asking, store: open() });
    await desk.run({ threadId: 't', message: 'go' });
    await desk.endThread('t', 'closed');
    expect(await phases(store)).toMatchObject([CANCELLED, CANCELLED, CANCELLED]);
    expect((await store.readEvents('t')).at(-1)).toMatchObject({ type: 'thread.ended' });
  });

  test('are ended without the context that their policies would need', async () => {
    const given: unknown[] = [];
    const needy = {
      hooks: ({ context }: { readonly context: unknown }) => {
        given.push(context);
        return [askFirst];
      },
    };
    const { desk, store } = team({ desk: needy, clerk: needy, store: open() });
    await desk.run({ threadId: 't', message: 'go', context: {} });
    expect((await desk.cancel('t')).status).toBe('cancelled');
    expect(await phases(store)).toMatchObject([CANCELLED, CANCELLED, CANCELLED]);
    expect(given).not.toContain(undefined);
  });

  test('are ended also where their policies can no longer be made', async () => {
    const store = open();
    const { desk } = team({ ...asking, store });
    await desk.run({ threadId: 't', message: 'go', context: {} });
    const broken = {
      hooks: () => {
        throw new Error('broken');
      },
    };
    const other = team({ clerk: broken, store }).desk;
    expect((await other.cancel('t', { context: {} })).status).toBe('cancelled');
    expect(await phases(store)).toMatchObject([CANCELLED, CANCELLED, CANCELLED]);
  });
});

describe('a subagent that hangs', () => {
  async function cancelled(parts: Parameters<typeof team>[0], asked: Promise<void>) {
    const { desk, store } = team(parts);
    const running = desk.run({ threadId: 't', message: 'go' });
    await asked;
    const result = await desk.cancel('t');
    expect(await running).toBe(result);
    return { result, store };
  }

  test('B23: in its model is ended by a cancel at the top, and its end is stored first', async () => {
    const model = hangingModel();
    const { result, store } = await cancelled({ clerk: { more: { model } } }, model.asked);
    expect(result.status).toBe('cancelled');
    expect(await phases(store)).toMatchObject([CANCELLED, CANCELLED, CANCELLED]);
    expect(outputsOf(result)).toEqual(['Cancelled by user']);
  });

  test('below a policy around the call is waited for all the same', async () => {
    const model = hangingModel();
    const around = defineHooks({ name: 'around', wrapToolUse: (call, next) => next(call) });
    const parts = { clerk: { more: { model } }, desk: { hooks: [around] } };
    const { result, store } = await cancelled(parts, model.asked);
    expect(result).toMatchObject({ status: 'cancelled', usage: { inputTokens: 20 } });
    expect(await phases(store)).toMatchObject([CANCELLED, CANCELLED, CANCELLED]);
  });

  test('is ended when the time of its own call is over, and the agent above goes on', async () => {
    const more = { model: hangingModel() };
    const script = often(callThen('desk: done', callClerk()));
    const { desk, store } = team({
      desk: { script },
      clerk: { more, asTool: { timeoutMs: 30 } },
    });
    const result = await desk.run({ threadId: 't', message: 'go' });
    expect(result).toMatchObject({ status: 'completed' });
    expect(outputsOf(result)).toEqual(["Subagent 'clerk' gave no answer: its time was over"]);
    expect((await store.load('t/1.1.0'))?.state['phase']).toMatchObject(CANCELLED);
  });

  for (const [name, limits] of Object.entries({
    turn: { wallTimeMs: 500 },
    thread: { thread: { wallTimeMs: 500 } },
  })) {
    test(`is ended when the time of the outermost ${name} is over`, async () => {
      const more = { model: hangingModel() };
      const { desk, store } = team({ clerk: { more }, desk: { more: { limits } } });
      const result = await desk.run({ threadId: 't', message: 'go' });
      expect(result).toMatchObject({
        status: 'limited',
        limit: name === 'turn' ? 'wall-time' : 'thread-wall-time',
      });
      expect((await phases(store)).slice(1)).toMatchObject([{ name: 'finished' }, CANCELLED]);
    });
  }

  test('is ended with a sibling that waits already', async () => {
    const model = hangingModel();
    const script = often(
      callThen('desk: done', callClerk(), { name: 'office', input: { task: 'x' } }),
    );
    const { desk, store } = team({
      ...asking,
      desk: { script },
      office: { more: { model } },
    });
    const running = desk.run({ threadId: 't', message: 'go' });
    await model.asked;
    await desk.cancel('t');
    expect((await running).status).toBe('cancelled');
    for (const threadId of ['t/1.1.0', 't/1.1.1'])
      expect((await store.load(threadId))?.state['phase']).toMatchObject(CANCELLED);
    expect(await desk.pendingApprovals()).toEqual([]);
  });

  test('in a stored turn of an ended process is ended by a cancel in another', async () => {
    const model = hangingModel();
    const { desk, store } = team({ clerk: { more: { model } } });
    const abandoned = desk.run({ threadId: 't', message: 'go' });
    await model.asked;
    // The first process is taken to be gone: its claims are given back under it.
    for (const id of CHAIN) store.release(id, 1);
    const other = team({ store }).desk;
    expect((await other.cancel('t')).status).toBe('cancelled');
    expect(await phases(store)).toMatchObject([CANCELLED, CANCELLED, CANCELLED]);
    await desk.cancel('t');
    await abandoned;
  });
});

test('a subagent whose thread another took meanwhile does not take it back', async () => {
  const { store, ...rest } = team({
    clerk: { script: [lost(() => store), 'clerk: never'] },
    desk: { script: often(callThen('desk: done', callClerk())) },
  });
  const result = await rest.desk.run({ threadId: 't', message: 'go' });
  expect(result).toMatchObject({ status: 'failed', error: { code: 'thread-conflict' } });
  expect(rest.log).toEqual([]);
});

test('a subagent whose thread could not be written has no end: the turn breaks off, and goes on with a resume', async () => {
  const disk = memoryStore();
  let refusals = 1;
  const store = new Proxy(disk, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== 'function') return member;
      return (...args: readonly unknown[]) => {
        const phase = JSON.stringify(args[3] ?? '');
        if (key === 'commit' && args[0] === 't/1.1.0' && phase.includes('paid')) {
          refusals -= 1;
          if (refusals >= 0) throw new Error('the disk is full');
        }
        return Reflect.apply(member, target, args);
      };
    },
  });
  const script = often(callThen('desk: done', callClerk()));
  const { desk, log } = team({ desk: { script }, store });
  const result = await desk.run({ threadId: 't', message: 'go' });
  expect(result).toMatchObject({ status: 'failed', error: { code: 'store-failed' } });
  expect((await disk.load('t'))?.state['phase']).toMatchObject({ name: 'running' });
  const resumed = await desk.resume({ threadId: 't' });
  expect(resumed).toMatchObject({ status: 'completed', text: 'desk: done' });
  expect(log).toEqual(['pay 5']);
});

test('a run that has lost its thread does not begin a subagent', async () => {
  const steal = defineHooks({
    name: 'steal',
    wrapToolUse: (call, next) => {
      store.release('t', 1);
      store.claim('t', { holder: 'another', ttlMs: 1_000 });
      return next(call);
    },
  });
  const { desk, store } = team({ desk: { hooks: [steal] } });
  const result = await desk.run({ threadId: 't', message: 'go' });
  expect(result).toMatchObject({ status: 'failed', error: { code: 'thread-conflict' } });
  expect(await store.load('t/1.1.0')).toBeUndefined();
});

/** Answers with a call while the claim of the thread above goes to somebody else. */
function lost(store: () => ThreadStore) {
  return (_request: ModelRequest) => {
    for (const id of ['t', 't/1.1.0']) {
      store().release(id, 1);
      store().claim(id, { holder: 'another', ttlMs: 1_000 });
    }
    return { toolCalls: [callPay(5)] };
  };
}

test('a subagent whose model fails is an error of its call, and the agent above goes on', async () => {
  const failing: RunResult = await team({
    clerk: {
      script: [
        () => {
          throw new ModelError('unavailable' as never, { where: 'w', what: 'w', fix: 'f' });
        },
      ],
    },
    desk: { script: often(callThen('desk: done', callClerk())) },
  }).desk.run({ message: 'go' });
  expect(failing).toMatchObject({ status: 'completed', text: 'desk: done' });
  expect(outputsOf(failing)).toEqual([
    expect.stringMatching(/^Subagent 'clerk' gave no answer: it failed \(/),
  ]);
});
