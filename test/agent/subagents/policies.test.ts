import { defineHooks, type HookContext, ToolDecision, type ToolInvocation } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { approvalsOf, askFirst, callClerk, callThen, often, STORES, team } from './team.ts';

const denyPay = defineHooks({
  name: 'deny-pay',
  preToolUse: ({ toolName }) => (toolName === 'pay' ? ToolDecision.block('never') : undefined),
});
const allowAll = defineHooks({ name: 'allow-all', preToolUse: () => ToolDecision.allow() });

const pointOf = (entry: string) => entry.split(' ').at(-1);

describe('must-not 20: the policies of an agent hold in what it delegates', () => {
  const insides = { 'no policies': [], 'an Allow': [allowAll] };
  for (const [inside, hooks] of Object.entries(insides)) {
    test(`a deny list holds two agents down, where there are ${inside}`, async () => {
      const below = { office: { hooks }, clerk: { hooks } };
      const { desk, log, store } = team({ desk: { hooks: [denyPay] }, ...below });
      const result = await desk.run({ threadId: 't', message: 'go' });
      expect(result.status).toBe('completed');
      expect(log).toEqual([]);
      const refused = (await store.readEvents('t/1.1.0/1.1.0')).filter(
        ({ type }) => type === 'tool.refused',
      );
      expect(refused).toMatchObject([{ by: 'deny-pay', reason: 'never', outcome: 'blocked' }]);
    });

    test(`twin: without it the clerk pays, where there are ${inside}`, async () => {
      const { desk, log } = team({ office: { hooks }, clerk: { hooks } });
      await desk.run({ message: 'go' });
      expect(log).toEqual(['pay 5']);
    });
  }

  test('an agent in the middle holds for what is below it only', async () => {
    const script = often(
      callThen('desk: done', { name: 'office', input: { task: 'a' } }, callClerk()),
    );
    const { desk, log } = team({ desk: { script }, office: { hooks: [denyPay] } });
    await desk.run({ message: 'go' });
    expect(log).toEqual(['pay 5']);
  });

  test('an Allow inside answers no confirmation that an agent above wants', async () => {
    const { desk, log } = team({ desk: { hooks: [askFirst] }, clerk: { hooks: [allowAll] } });
    const paused = await desk.run({ message: 'go' });
    expect(approvalsOf(paused)).toMatchObject([{ requirements: [{ policy: 'ask-first' }] }]);
    expect(log).toEqual([]);
  });

  test('a policy above that fails lets nothing below run', async () => {
    const broken = defineHooks({
      name: 'broken',
      preToolUse: ({ toolName }) => {
        if (toolName === 'pay') throw new Error('broken');
        return undefined;
      },
    });
    const { desk, log } = team({ desk: { hooks: [broken] } });
    const result = await desk.run({ message: 'go' });
    expect(result.status).toBe('completed');
    expect(log).toEqual([]);
  });

  test('policies that a function makes hold too, in this run and after a pause', async () => {
    const hooks = () => [denyPay];
    const { desk, log } = team({ desk: { hooks } });
    await desk.run({ message: 'go', context: {} });
    expect(log).toEqual([]);
  });

  test('every point of an agent above is asked below, before the own policies and with the path', async () => {
    const asked: string[] = [];
    const watch = (name: string) =>
      defineHooks({
        name,
        onTurnStart: (_turn, ctx) => note(ctx, `${name} turn`),
        onUserMessage: (_message, ctx) => note(ctx, `${name} user`),
        preLlmRequest: (_request, ctx) => note(ctx, `${name} request`),
        onLlmResponse: (_response, ctx) => note(ctx, `${name} response`),
        preToolUse: (_call, ctx) => note(ctx, `${name} tool`),
        postToolUse: (_call, _result, ctx) => note(ctx, `${name} result`),
        onOutgoingMessage: (_message, ctx) => note(ctx, `${name} outgoing`),
        wrapToolUse: (call, next, ctx) => {
          note(ctx, `${name} wrap`);
          return next(call);
        },
      });
    const note = (ctx: HookContext, point: string): undefined => {
      const path = [...ctx.agentPath, ctx.threadId].join(' ');
      asked.push(`${path} ${point}`);
    };
    const script = often(callThen('desk: done', callClerk()));
    const { desk } = team({
      desk: { hooks: [watch('above')], script },
      clerk: { hooks: [{ ...watch('below'), order: 'first' as const }] },
    });
    await desk.run({ threadId: 't', message: 'go' });
    const below = asked.filter((entry) => entry.startsWith('desk t/1.1.0 '));
    const points = below.map((entry) => entry.split(' ').slice(2).join(' '));
    expect(points.filter((entry) => entry.startsWith('above')).map(pointOf)).toEqual([
      'turn',
      'user',
      'request',
      'response',
      'tool',
      'wrap',
      'result',
      'request',
      'response',
      'outgoing',
    ]);
    const inOrder = points.filter((entry) => pointOf(entry) !== 'result');
    expect(inOrder.map((entry) => entry.split(' ')[0])).toEqual(
      inOrder.map((_entry, index) => (index % 2 === 0 ? 'above' : 'below')),
    );
    expect(asked[0]).toBe('t above turn');
  });

  test('of a result, the outermost has the last word', async () => {
    const order: string[] = [];
    const post = (name: string) =>
      defineHooks({
        name,
        postToolUse: ({ toolName }) => {
          if (toolName === 'pay') order.push(name);
          return undefined;
        },
      });
    const { desk } = team({
      desk: { hooks: [post('of-desk')] },
      office: { hooks: [post('of-office')] },
      clerk: { hooks: [post('of-clerk')] },
    });
    await desk.run({ message: 'go' });
    expect(order).toEqual(['of-clerk', 'of-office', 'of-desk']);
  });
});

describe('names', () => {
  test('a policy of a subagent is named after it, so that two of one name are told apart', async () => {
    const events: string[] = [];
    const { desk } = team({
      desk: { hooks: [defineHooks({ name: 'p', preToolUse: () => undefined })] },
      clerk: { hooks: [defineHooks({ name: 'p', preToolUse: () => ToolDecision.block('no') })] },
    });
    desk.on('hook.decided', ({ policy }) => events.push(policy));
    await desk.run({ message: 'go' });
    expect(events).toEqual(['clerk/p']);
  });

  test('the same object on both agents is asked once', async () => {
    let asked = 0;
    const shared = defineHooks({
      name: 'shared',
      preToolUse: ({ toolName }: ToolInvocation) => {
        if (toolName === 'pay') asked += 1;
        return undefined;
      },
    });
    const all = { hooks: [shared] };
    const { desk, log } = team({ desk: all, office: all, clerk: all });
    await desk.run({ message: 'go' });
    expect([asked, log]).toEqual([1, ['pay 5']]);
  });
});

describe.each(STORES)('what a policy remembers, on %s', (_name, open) => {
  /** Lets one payment through in a conversation, whoever makes it. */
  const once = {
    name: 'once',
    preToolUse: ({ toolName }: ToolInvocation, ctx: HookContext) => {
      if (toolName !== 'pay') return undefined;
      if (ctx.memory.get('paid') === true) return ToolDecision.block('paid already');
      ctx.memory.set('paid', true);
      return undefined;
    },
  };
  const twice = often(callThen('desk: done', callClerk('one'), callClerk('two')));

  test('counts over all agents below: a limit of a conversation is not had again by delegating', async () => {
    const store = open();
    const { desk, log } = team({ desk: { hooks: [once], script: twice }, store });
    await desk.run({ threadId: 't', message: 'go' });
    expect(log).toEqual(['pay 5']);
    expect((await store.load('t'))?.memory).toEqual({ once: { paid: true } });
    await desk.run({ threadId: 't', message: 'and again' });
    expect(log).toEqual(['pay 5']);
  });

  test('twin: a policy of the subagent itself remembers per call', async () => {
    const store = open();
    const { desk, log } = team({ clerk: { hooks: [once] }, desk: { script: twice }, store });
    await desk.run({ threadId: 't', message: 'go' });
    expect(log).toEqual(['pay 5', 'pay 5']);
    expect((await store.load('t/1.1.0'))?.memory).toEqual({ 'clerk/once': { paid: true } });
  });

  test('is stored before what it was remembered of: two agents down, it is there when the tool runs', async () => {
    const store = open();
    let remembered: unknown;
    const look = defineHooks({
      name: 'look',
      wrapToolUse: async (call, next) => {
        if (call.toolName === 'pay') remembered = (await store.load('t'))?.memory;
        return next(call);
      },
    });
    const { desk } = team({ desk: { hooks: [once] }, clerk: { hooks: [look] }, store });
    await desk.run({ threadId: 't', message: 'go' });
    expect(remembered).toEqual({ once: { paid: true } });
  });
});
