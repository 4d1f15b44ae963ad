import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type Agent,
  type ChatModel,
  createAgent,
  type Message,
  scriptedModel,
  textOf as textOfMessage,
} from 'agent-hooks';
import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => {
  vi.useRealTimers();
});

const answers = (count: number) => scriptedModel(Array.from({ length: count }, () => 'ok'));
const textOf = (message: Message | undefined): string =>
  message === undefined ? '' : textOfMessage(message);
const runs = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`);

test('a crowd of runs lets other work of the process have its turns', async () => {
  const agent = createAgent({ name: 'a', model: answers(300) });
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const all = runs(300).map((threadId) => agent.run({ threadId, message: 'go' }));
  const results = await Promise.all(all);
  isOver = true;
  expect(results.every(({ status }) => status === 'completed')).toBe(true);
  expect(turns).toBeGreaterThan(1);
});

test('a run that waits for its turn hears of its cancel, and calls nothing', async () => {
  const model = answers(100);
  const agent = createAgent({ name: 'a', model });
  const controller = new AbortController();
  const before = runs(40).map((threadId) => agent.run({ threadId, message: 'go' }));
  const last = agent.run({ threadId: 'last', message: 'go', signal: controller.signal });
  controller.abort();
  expect((await last).status).toBe('cancelled');
  await Promise.all(before);
  expect(model.calls).toBe(40);
});

test.each([
  ['cancel', (agent: Agent) => agent.cancel('last')],
  ['endThread', (agent: Agent) => agent.endThread('last', 'closed')],
] as const)('`%s` finds a run that waits for its turn', async (_name, end) => {
  const agent = createAgent({ name: 'a', model: answers(100) });
  await agent.run({ threadId: 'last', message: 'hello' });
  const before = runs(40).map((threadId) => agent.run({ threadId, message: 'go' }));
  const last = agent.run({ threadId: 'last', message: 'go' });
  await end(agent);
  expect((await last).status).toBe('cancelled');
  const others = await Promise.all(before);
  expect(others.every(({ status }) => status === 'completed')).toBe(true);
});

test('runs on one thread stay apart in a crowd', async () => {
  const agent = createAgent({ name: 'a', model: answers(100) });
  const all = Array.from({ length: 40 }, () => agent.run({ threadId: 'same', message: 'go' }));
  const settled = await Promise.allSettled(all);
  const done = settled.filter(({ status }) => status === 'fulfilled');
  const refused = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
  expect(done.length).toBeGreaterThan(0);
  expect(new Set(refused)).toEqual(new Set(['thread-busy']));
});

test('those under way get on while a crowd begins, so that few are under way at a time', async () => {
  let inFlight = 0;
  let most = 0;
  const scripted = answers(300);
  const model: ChatModel = {
    id: 'slow',
    stream: (request, options) => scripted.stream(request, options),
    generate: async (request, options) => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      await nextTurn();
      await nextTurn();
      inFlight -= 1;
      return scripted.generate(request, options);
    },
  };
  const agent = createAgent({ name: 'a', model });
  await Promise.all(runs(300).map((threadId) => agent.run({ threadId, message: 'go' })));
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(24);
});

test.each(['reject', 'queue', 'interrupt'] as const)(
  'a run that waits for its turn runs in the async context of its caller (onBusy %s)',
  async (onBusy) => {
    const tenant = new AsyncLocalStorage<string>();
    const wrong: string[] = [];
    const seen = (expected: string): void => {
      if (tenant.getStore() !== expected) wrong.push(expected);
    };
    const scripted = answers(60);
    const agent = createAgent({
      name: 'a',
      onBusy,
      model: {
        id: 'm',
        generate: (request, options) => {
          seen(textOf(request.messages.at(-1)));
          return scripted.generate(request, options);
        },
        stream: (request, options) => scripted.stream(request, options),
      },
      hooks: [{ name: 'p', onUserMessage: ({ text }) => seen(text) }],
    });
    const all = runs(60).map((threadId) =>
      tenant.run(threadId, () => agent.run({ threadId, message: threadId })),
    );
    const results = await Promise.all(all);
    expect(results.every(({ status }) => status === 'completed')).toBe(true);
    expect(wrong).toEqual([]);
  },
);

/** A model whose every answer takes so many turns of the event loop; `most` tells how many were under way at a time. */
function slowModel(turns: number) {
  const underWay = { now: 0, most: 0, begun: 0 };
  const scripted = answers(400);
  const model: ChatModel = {
    id: 'slow',
    stream: (request, options) => scripted.stream(request, options),
    generate: async (request, options) => {
      underWay.begun += 1;
      underWay.now += 1;
      underWay.most = Math.max(underWay.most, underWay.now);
      for (let turn = 0; turn < turns; turn += 1) await nextTurn();
      underWay.now -= 1;
      return scripted.generate(request, options);
    },
  };
  return { model, underWay };
}

test('from twenty under way on, one begins in every second turn', async () => {
  // No turn takes long, however busy the machine is.
  vi.useFakeTimers({ toFake: ['performance'] });
  const { model, underWay } = slowModel(60);
  const agent = createAgent({ name: 'a', model });
  await Promise.all(runs(300).map((threadId) => agent.run({ threadId, message: 'go' })));
  // One in each turn would make it 76, and one in every third 40.
  expect(underWay.most).toBeGreaterThan(44);
  expect(underWay.most).toBeLessThan(56);
});

test('after a turn of the event loop that took long, none is held back for another', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  let turns = 0;
  let isOver = false;
  const busy = (): void => {
    if (isOver) return;
    vi.advanceTimersByTime(6);
    turns += 1;
    setImmediate(busy);
  };
  const { model, underWay } = slowModel(1_000);
  const agent = createAgent({ name: 'a', model });
  const controller = new AbortController();
  const { signal } = controller;
  const all = runs(80).map((threadId) => agent.run({ threadId, message: 'go', signal }));
  setImmediate(busy);
  while (underWay.begun < 80) await nextTurn();
  const took = turns;
  isOver = true;
  controller.abort();
  await Promise.all(all);
  // Sixteen begin at once; in every second turn the others would take more than a hundred.
  expect(took).toBeLessThan(80);
});

test('nothing caps how many are under way', async () => {
  const { model, underWay } = slowModel(5_000);
  const agent = createAgent({ name: 'a', model });
  const controller = new AbortController();
  const { signal } = controller;
  const all = runs(200).map((threadId) => agent.run({ threadId, message: 'go', signal }));
  while (underWay.begun < 200) await nextTurn();
  expect(underWay.now).toBe(200);
  controller.abort();
  await Promise.all(all);
});
