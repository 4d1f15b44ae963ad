import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import {
  type Agent,
  type ChatModel,
  createAgent,
  defineHooks,
  memoryStore,
  RequestDecision,
  type RunResult,
  scriptedModel,
  type ThreadStore,
  ToolDecision,
  tool,
} from '../../src/index.ts';
import { transcript } from '../acceptance/evidence.ts';
import { sleep, stores } from '../acceptance/play.ts';

const said = async (store: ThreadStore, threadId = 't') =>
  transcript(await store.readMessages(threadId));

/** A model whose answers come when the test lets them. */
function heldModel(): ChatModel & {
  readonly release: (text: string) => void;
  readonly asked: () => number;
} {
  const waiting: ((text: string) => void)[] = [];
  let asked = 0;
  return {
    id: 'held',
    generate: (_request, { signal }) => {
      asked += 1;
      return new Promise((resolve, reject) => {
        const answer = (text: string): void =>
          resolve({
            content: [{ type: 'text', text }],
            finishReason: 'stop',
            usage: { inputTokens: 1, outputTokens: 1 },
          });
        waiting.push(answer);
        signal.addEventListener('abort', () => {
          waiting.splice(waiting.indexOf(answer), 1);
          reject(signal.reason);
        });
      });
    },
    stream: () => {
      throw new Error('nothing is streamed here');
    },
    release: (text) => waiting.shift()?.(text),
    asked: () => asked,
  };
}

const until = async (isTrue: () => boolean) => {
  while (!isTrue()) await sleep(1);
};

test('without `onBusy` a message to a busy thread is refused, and the error names the option', async () => {
  const agent = createAgent({ name: 'a', model: scriptedModel(['one'], { delayMs: 5 }) });
  const first = agent.run({ threadId: 't', message: '1' });
  await expect(agent.run({ threadId: 't', message: '2' })).rejects.toMatchObject({
    code: 'thread-busy',
    message: expect.stringContaining("`onBusy: 'queue'`"),
  });
  expect(await first).toMatchObject({ status: 'completed', text: 'one' });
});

describe("onBusy: 'queue'", () => {
  test.each(stores())(
    '%s: N07, B47: three messages at once are three turns, in their order',
    async (_name, open) => {
      const store = open();
      const model = scriptedModel(['one', 'two', 'three'], { delayMs: 5 });
      const agent = createAgent({ name: 'a', model, store, onBusy: 'queue' });
      const finished: string[] = [];
      const texts = ['1', '2', '3'];
      const results = await Promise.all(
        texts.map((message) =>
          agent.run({ threadId: 't', message }).then((result) => {
            finished.push(message);
            return result;
          }),
        ),
      );
      expect(results.map((result) => [result.turnId, 'text' in result && result.text])).toEqual([
        ['1', 'one'],
        ['2', 'two'],
        ['3', 'three'],
      ]);
      expect(finished).toEqual(texts);
      expect(await said(store)).toEqual([
        'user: 1',
        'assistant: one',
        'user: 2',
        'assistant: two',
        'user: 3',
        'assistant: three',
      ]);
      const seqs = (await store.readEvents('t')).map(({ seq }) => seq);
      expect(seqs).toEqual(seqs.map((_, index) => index + 1));
    },
  );

  test('N07: one that comes when the thread is free still follows all that came before it', async () => {
    const store = memoryStore();
    const model = heldModel();
    const agent = createAgent({ name: 'a', model, store, onBusy: 'queue' });
    const say = (message: string) => agent.run({ threadId: 't', message });
    const [first, second, third] = ['1', '2', '3'].map(say);
    await until(() => model.asked() === 1);
    // So long that one that only looked at the thread again and again would look seldom by now.
    await sleep(80);
    model.release('one');
    await first;
    await until(() => model.asked() === 2);
    await sleep(80);
    model.release('two');
    await second;
    const fourth = say('4');
    await until(() => model.asked() === 3);
    model.release('three');
    await until(() => model.asked() === 4);
    model.release('four');
    expect(await third).toMatchObject({ text: 'three', turnId: '3' });
    expect(await fourth).toMatchObject({ text: 'four', turnId: '4' });
    expect((await said(store)).filter((line) => line.startsWith('user'))).toEqual([
      'user: 1',
      'user: 2',
      'user: 3',
      'user: 4',
    ]);
  });

  test('N08: a message that is given up while it waits is cancelled, at once, and nothing of it is stored', async () => {
    const store = memoryStore();
    const claim = vi.spyOn(store, 'claim');
    const model = heldModel();
    const agent = createAgent({ name: 'a', model, store, onBusy: 'queue' });
    const first = agent.run({ threadId: 't', message: '1' });
    const abort = new AbortController();
    const second = agent.run({ threadId: 't', message: '2', signal: abort.signal });
    const third = agent.run({ threadId: 't', message: '3' });
    await until(() => model.asked() === 1);
    abort.abort();
    expect(await second).toMatchObject({
      status: 'cancelled',
      threadId: 't',
      turnId: '',
      steps: 0,
    });
    // It lets nobody pass the one before it: the next one does not even try.
    await sleep(20);
    expect([model.asked(), claim.mock.calls.length]).toEqual([1, 1]);
    model.release('one');
    expect(await first).toMatchObject({ status: 'completed', text: 'one' });
    await until(() => model.asked() === 2);
    model.release('three');
    expect(await third).toMatchObject({ status: 'completed', text: 'three' });
    expect(await said(store)).toEqual(['user: 1', 'assistant: one', 'user: 3', 'assistant: three']);
  });

  test('K18: a cancel ends the turn under way, and those that wait follow in their order', async () => {
    const store = memoryStore();
    const model = heldModel();
    const agent = createAgent({ name: 'a', model, store, onBusy: 'queue' });
    const first = agent.run({ threadId: 't', message: '1' });
    const second = agent.run({ threadId: 't', message: '2' });
    await until(() => model.asked() === 1);
    expect(await agent.cancel('t')).toMatchObject({ status: 'cancelled', turnId: '1' });
    expect(await first).toMatchObject({ status: 'cancelled' });
    await until(() => model.asked() === 2);
    model.release('two');
    expect(await second).toMatchObject({ status: 'completed', text: 'two' });
    expect(await said(store)).toEqual(['user: 1', 'user: 2', 'assistant: two']);
  });

  test('a turn that fails lets the next one begin, and a stream waits like a run', async () => {
    const store = memoryStore();
    let calls = 0;
    const hooks = [
      defineHooks({
        name: 'first-fails',
        preLlmRequest: () => {
          calls += 1;
          if (calls === 1) throw new Error('no');
          return RequestDecision.proceed();
        },
      }),
    ];
    const agent = createAgent({
      name: 'a',
      model: scriptedModel(['two']),
      store,
      hooks,
      onBusy: 'queue',
    });
    const first = agent.run({ threadId: 't', message: '1' });
    const second = agent.stream({ threadId: 't', message: '2' });
    expect(await first).toMatchObject({ status: 'failed' });
    expect(await second.result).toMatchObject({ status: 'completed', text: 'two' });
  });

  test('a thread that another agent holds is waited for', async () => {
    const store = memoryStore();
    const held = heldModel();
    const holder = createAgent({ name: 'a', model: held, store });
    const agent = createAgent({ name: 'a', model: scriptedModel(['two']), store, onBusy: 'queue' });
    const first = holder.run({ threadId: 't', message: '1' });
    await until(() => held.asked() === 1);
    const second = agent.run({ threadId: 't', message: '2' });
    await sleep(30);
    held.release('one');
    expect(await first).toMatchObject({ text: 'one' });
    expect(await second).toMatchObject({ status: 'completed', text: 'two' });
    expect(await said(store)).toEqual(['user: 1', 'assistant: one', 'user: 2', 'assistant: two']);
  });

  test('threads do not wait for each other', async () => {
    const model = heldModel();
    const agent = createAgent({ name: 'a', model, onBusy: 'queue' });
    const runs = ['x', 'y'].map((threadId) => agent.run({ threadId, message: 'hi' }));
    await until(() => model.asked() === 2);
    model.release('x');
    model.release('y');
    await Promise.all(runs);
  });

  test('an answer waits for the run that holds its thread', async () => {
    const store = memoryStore();
    let ran = 0;
    const pay = tool({
      name: 'pay',
      description: 'Pays.',
      inputSchema: z.object({}),
      tier: 'confirm',
      execute: () => {
        ran += 1;
        return 'paid';
      },
    });
    const script = [{ toolCalls: [{ name: 'pay' }] }, 'done'];
    const hooks = [defineHooks({ name: 'ask', preToolUse: () => ToolDecision.abstain() })];
    const agent = createAgent({
      name: 'a',
      model: scriptedModel(script),
      store,
      tools: [pay],
      hooks,
      onBusy: 'queue',
    });
    const asked = await agent.run({ threadId: 't', message: 'pay' });
    const approvalId =
      asked.status === 'awaiting-approval' ? (asked.approvals[0]?.approvalId ?? '') : '';
    const answers = [{ approvalId, approved: true, by: 'ada' }];
    const both = await Promise.allSettled([
      agent.resume({ threadId: 't', answers }),
      agent.resume({ threadId: 't', answers }),
    ]);
    expect(both[0]).toMatchObject({
      status: 'fulfilled',
      value: { status: 'completed', text: 'done' },
    });
    // The second comes to a turn that has ended: the answer is used up, and nothing runs twice.
    expect(both[1].status).toBe('rejected');
    expect(ran).toBe(1);
  });
});

describe("onBusy: 'interrupt'", () => {
  const scene = () => {
    const store = memoryStore();
    const model = heldModel();
    const agent = createAgent({ name: 'a', model, store, onBusy: 'interrupt' });
    return { store, model, agent };
  };

  test('a new message cancels the turn under way, and follows it', async () => {
    const { store, model, agent } = scene();
    const first = agent.run({ threadId: 't', message: '1' });
    await until(() => model.asked() === 1);
    const second = agent.run({ threadId: 't', message: '2' });
    expect(await first).toMatchObject({ status: 'cancelled', turnId: '1' });
    await until(() => model.asked() === 2);
    model.release('two');
    expect(await second).toMatchObject({ status: 'completed', text: 'two', turnId: '2' });
    expect(await said(store)).toEqual(['user: 1', 'user: 2', 'assistant: two']);
  });

  test('of several at once only the last is answered, and what the others said is kept', async () => {
    const { store, model, agent } = scene();
    const runs: Promise<RunResult>[] = ['1', '2', '3'].map((message) =>
      agent.run({ threadId: 't', message }),
    );
    await until(() => model.asked() === 1);
    model.release('three');
    expect((await Promise.all(runs)).map(({ status }) => status)).toEqual([
      'cancelled',
      'cancelled',
      'completed',
    ]);
    expect(model.asked()).toBe(1);
    expect(await said(store)).toEqual(['user: 1', 'user: 2', 'user: 3', 'assistant: three']);
  });

  test('an answer and a further step follow, and interrupt nobody', async () => {
    const { store, model, agent } = scene();
    const first = agent.run({ threadId: 't', message: '1' });
    await until(() => model.asked() === 1);
    const step = agent.runStep({ threadId: 't' }).catch((error: unknown) => error);
    await sleep(10);
    model.release('one');
    expect(await first).toMatchObject({ status: 'completed', text: 'one' });
    expect(await step).toMatchObject({ code: 'nothing-to-continue' });
    expect(await said(store)).toEqual(['user: 1', 'assistant: one']);
  });

  test('an interrupted tool has its one result', async () => {
    const store = memoryStore();
    const started: string[] = [];
    const look = tool({
      name: 'look',
      description: 'Looks.',
      inputSchema: z.object({}),
      sideEffects: 'none',
      execute: (_input, { signal }) => {
        started.push('look');
        return new Promise<never>((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('stopped')));
        });
      },
    });
    const model = scriptedModel([{ toolCalls: [{ name: 'look' }] }, 'two'], { strict: true });
    const agent: Agent = createAgent({
      name: 'a',
      model,
      store,
      tools: [look],
      onBusy: 'interrupt',
    });
    const first = agent.run({ threadId: 't', message: '1' });
    await until(() => started.length === 1);
    const second = agent.run({ threadId: 't', message: '2' });
    expect(await first).toMatchObject({ status: 'cancelled' });
    expect(await second).toMatchObject({ status: 'completed', text: 'two' });
    expect(await said(store)).toEqual([
      'user: 1',
      'assistant: ',
      'tool: ',
      'user: 2',
      'assistant: two',
    ]);
  });
});
