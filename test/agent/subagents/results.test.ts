import {
  agentTool,
  createAgent,
  defineHooks,
  MessageDecision,
  ResponseDecision,
  scriptedModel,
  tool,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { CHILD, isChildTool } from '../../../src/loop/child-tool.ts';
import { callClerk, callThen, often, outputsOf, team } from './team.ts';

const SECRET = 'the card is 4111 1111 1111 1111';
const script = often(callThen('desk: done', callClerk()));

describe('what the agent above reads', () => {
  test('is the answer of the subagent, and nothing else of its thread', async () => {
    const { desk } = team({ desk: { script }, clerk: { script: ['just this'] } });
    const result = await desk.run({ message: 'go' });
    expect(outputsOf(result)).toEqual(['just this']);
    expect(JSON.stringify(result.messages)).not.toContain('pay it"}]');
  });

  test('of a blocked answer says where, and nothing of it nor of the reason', async () => {
    const hooks = [
      defineHooks({
        name: 'no-cards',
        onLlmResponse: ({ text }) =>
          text.includes('4111') ? ResponseDecision.block(`found ${text}`) : undefined,
      }),
    ];
    const { desk, store } = team({ desk: { script }, clerk: { hooks, script: [SECRET] } });
    const result = await desk.run({ threadId: 't', message: 'go' });
    expect(outputsOf(result)).toEqual([
      "Subagent 'clerk' gave no answer: a policy stopped it at onLlmResponse",
    ]);
    expect(JSON.stringify(await store.readMessages('t'))).not.toContain('4111');
    expect(JSON.stringify((await store.load('t'))?.state)).not.toContain('4111');
  });

  test('is what an outgoing policy above made of the answer', async () => {
    const redact = defineHooks({
      name: 'redact',
      onOutgoingMessage: ({ text }) => MessageDecision.modify(text.replaceAll(/\d/g, '*')),
    });
    const { desk } = team({ desk: { script, hooks: [redact] }, clerk: { script: [SECRET] } });
    const result = await desk.run({ message: 'go' });
    expect(outputsOf(result)).toEqual(['the card is **** **** **** ****']);
  });

  for (const [status, clerk, text] of [
    ['limited', { more: { limits: { steps: 1 } } }, /it reached its limit of steps$/],
    [
      'refused',
      { script: [{ text: 'no', finishReason: 'content-filter' as const }] },
      /its model refused/,
    ],
    [
      'failed',
      {
        hooks: [
          defineHooks({
            name: 'broken',
            preLlmRequest: () => {
              throw new Error(SECRET);
            },
          }),
        ],
      },
      /it failed \(hook-/,
    ],
  ] as const) {
    test(`of one that ends ${status} says so, and the agent above goes on`, async () => {
      const result = await team({ desk: { script }, clerk }).desk.run({ message: 'go' });
      expect(result).toMatchObject({ status: 'completed', text: 'desk: done' });
      const [output] = outputsOf(result);
      expect(output).toMatch(text);
      expect(output).not.toContain('4111');
    });
  }

  test('of one whose policies cannot be made is an error, and nothing of it is stored', async () => {
    const hooks = () => {
      throw new Error('broken');
    };
    const { desk, store } = team({ desk: { script }, clerk: { hooks } });
    const result = await desk.run({ threadId: 't', message: 'go' });
    expect(outputsOf(result)).toEqual([expect.stringMatching(/it failed \(hook-/)]);
    expect(await store.load('t/1.1.0')).toBeUndefined();
  });

  test("is an error where its thread is somebody else's, which is left as it is", async () => {
    const { desk, store } = team({ desk: { script } });
    const other = createAgent({ name: 'other', model: scriptedModel(['mine']), store });
    await other.run({ threadId: 't/1.1.0', message: 'a thread of the app' });
    const before = await store.readMessages('t/1.1.0');
    const result = await desk.run({ threadId: 't', message: 'go' });
    expect(outputsOf(result)).toEqual([expect.stringContaining('child-thread')]);
    expect(await store.readMessages('t/1.1.0')).toEqual(before);
  });
});

describe('how deep agents call each other', () => {
  test('is bounded by 4; a deeper call is not executed, and says so', async () => {
    let asked = 0;
    let below = createAgent({
      name: 'agent-0',
      model: scriptedModel([
        () => {
          asked += 1;
          return 'the last';
        },
      ]),
    });
    for (let level = 1; level <= 5; level += 1) {
      const call = { name: 'next', input: { task: 'go on' } };
      below = createAgent({
        name: `agent-${level}`,
        model: scriptedModel(often(callThen(`back at ${level}`, call))),
        tools: [agentTool(below, { name: 'next', description: 'd' })],
      });
    }
    const result = await below.run({ message: 'go' });
    expect(result).toMatchObject({ status: 'completed', text: 'back at 5' });
    expect(asked).toBe(0);
  });

  test('is bounded by what the tool says', async () => {
    const parts = { clerk: { asTool: { maxDepth: 1 } } };
    const { desk, log, store } = team(parts);
    await desk.run({ threadId: 't', message: 'go' });
    expect(log).toEqual([]);
    const results = (await store.readMessages('t/1.1.0')).find(({ role }) => role === 'tool');
    expect(results).toMatchObject({
      content: [
        { outcome: 'not-executed', isError: true, output: expect.stringContaining('1 deep') },
      ],
    });
  });
});

describe('the declaration', () => {
  const agent = createAgent({ name: 'a', model: scriptedModel([]) });
  const fine = { name: 'a', description: 'd' };

  test.each<[what: string, make: () => unknown]>([
    ['no agent', () => agentTool({ name: 'a' } as never, fine)],
    ['no options', () => agentTool(agent, undefined as never)],
    ['an unknown option', () => agentTool(agent, { ...fine, sideEffects: 'none' } as never)],
    ['a message that is no function', () => agentTool(agent, { ...fine, message: 'x' } as never)],
    ['a depth of none', () => agentTool(agent, { ...fine, maxDepth: 0 })],
    ['a limit that is no number', () => agentTool(agent, { ...fine, timeoutMs: Number.NaN })],
    ['a name no model can write', () => agentTool(agent, { ...fine, name: 'a b' })],
  ])('is refused with %s', (_what, make) => {
    expect(make).toThrow(expect.objectContaining({ name: 'ConfigError' }));
  });

  test('takes an input of its own, and makes the message of it', async () => {
    const read: string[] = [];
    const clerk = createAgent({
      name: 'clerk',
      model: scriptedModel([
        ({ messages }) => {
          read.push(JSON.stringify(messages.at(-1)));
          return 'ok';
        },
      ]),
    });
    const asTool = agentTool(clerk, {
      name: 'clerk',
      description: 'd',
      input: z.object({ order: z.number(), urgent: z.boolean().default(true) }),
      message: ({ order, urgent }) => `order ${order}${urgent ? ', at once' : ''}`,
    });
    const call = { name: 'clerk', input: { order: 7 } };
    const desk = createAgent({
      name: 'desk',
      model: scriptedModel(often(callThen('done', call))),
      tools: [asTool],
    });
    await desk.run({ message: 'go' });
    expect(read).toEqual([expect.stringContaining('order 7, at once')]);
    expect(asTool).toMatchObject({ tier: 'auto', sideEffects: 'idempotent', parallel: false });
  });

  test('without a message of its own gives the input as JSON', async () => {
    const asTool = agentTool(agent, { ...fine, input: z.object({ order: z.number() }) });
    if (!isChildTool(asTool)) throw new Error('no subagent');
    expect(await asTool[CHILD].message({ order: 7 })).toBe('{"order":7}');
  });

  test('whose message cannot be made gives an error that quotes nothing', async () => {
    const message = () => {
      throw new Error(SECRET);
    };
    const { desk, store } = team({ desk: { script }, clerk: { asTool: { message } } });
    const result = await desk.run({ threadId: 't', message: 'go' });
    expect(outputsOf(result)).toEqual([expect.stringMatching(/^Not executed: no message/)]);
    expect(await store.load('t/1.1.0')).toBeUndefined();
  });

  test('can ask a person before the subagent is asked at all', async () => {
    const parts = { desk: { script }, clerk: { asTool: { tier: 'confirm' as const } } };
    const { desk, store } = team(parts);
    const paused = await desk.run({ threadId: 't', message: 'go' });
    expect(paused).toMatchObject({
      status: 'awaiting-approval',
      approvals: [{ toolName: 'clerk', threadId: 't' }],
    });
    expect(await store.load('t/1.1.0')).toBeUndefined();
  });

  test('runs nothing outside of an agent', () => {
    const asTool = agentTool(agent, fine);
    expect(() => asTool.run({ task: 'x' }, {} as never)).toThrow('only as a call of an agent');
    expect(asTool.matches({ toolName: 'a' } as never)).toBe(true);
  });

  test('is no delegation because a tool of an app looks like one', async () => {
    const plain = tool({
      name: 'clerk',
      description: 'd',
      inputSchema: z.object({ task: z.string() }),
      tier: 'auto',
      execute: () => 'a plain tool',
    });
    const tools = [{ ...plain, isChild: true, child: agent }];
    const desk = createAgent({ name: 'desk', model: scriptedModel([...script]), tools });
    expect(outputsOf(await desk.run({ message: 'go' }))).toEqual(['a plain tool']);
  });
});
