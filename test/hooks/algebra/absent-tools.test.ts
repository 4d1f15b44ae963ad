import {
  agentTool,
  compose,
  createAgent,
  defineHooks,
  forTools,
  scriptedModel,
  ToolDecision,
  tool,
  when,
} from 'agent-hooks';
import { readConversation, replay } from 'agent-hooks/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

const named = (name: string) =>
  tool({ name, inputSchema: z.object({}), tier: 'auto', execute: () => 'done' });
const guard = defineHooks({ name: 'guard', preToolUse: () => ToolDecision.block('no') });
const build =
  (hooks: object, tools = ['refund_order', 'read']) =>
  () =>
    createAgent({
      name: 'desk',
      model: scriptedModel(['hi']),
      tools: tools.map(named),
      hooks,
    } as never);

describe('forTools with a pattern that means no tool of the agent', () => {
  test.each([
    [
      'a misspelled name',
      [forTools(['refund_oder'], guard)],
      /hooks\[0\].*'refund_oder'.*Did you mean 'refund_order'/,
    ],
    ['a pattern', [forTools(['refunds_*'], guard)], /'refunds_\*'/],
    ['one of two', [forTools(['read', 'pay'], guard)], /'pay'.*refund_order, read/],
    [
      'within a group, a condition and another limit',
      [
        compose(
          'g',
          when(() => true, forTools(['r*'], forTools(['pay'], guard))),
        ),
      ],
      /'pay'/,
    ],
  ])('%s is refused', (_name, hooks, message) => {
    expect(build(hooks)).toThrow(
      expect.objectContaining({ name: 'ConfigError', code: 'invalid-pattern' }),
    );
    expect(build(hooks)).toThrow(message);
  });

  test.each([
    ['a name', [forTools(['read'], guard)], ['read']],
    ['a pattern', [forTools(['refund_*'], guard)], ['refund_order']],
    ['any tool, of an agent without tools', [forTools(['*'], guard)], []],
    ['a policy that agents share', [forTools(['pay'], guard, { mayBeAbsent: true })], ['read']],
  ])('%s is taken', (_name, hooks, tools) => {
    expect(build(hooks, tools)).not.toThrow();
  });

  test('the tools of agents below count: policies hold there too', () => {
    const low = createAgent({ name: 'low', model: scriptedModel([]), tools: [named('pay')] });
    const mid = createAgent({
      name: 'mid',
      model: scriptedModel([]),
      tools: [agentTool(low, { name: 'low', description: 'x' })],
    });
    const top = (pattern: string) => () =>
      createAgent({
        name: 'top',
        model: scriptedModel([]),
        tools: [agentTool(mid, { name: 'mid', description: 'x' })],
        hooks: [forTools([pattern], guard)],
      });
    expect(top('pay')).not.toThrow();
    expect(top('refund')).toThrow(/'refund'/);
  });

  test('a list that is made for each thread refuses the run, before anything is stored', async () => {
    const agent = build(() => [forTools(['refund'], guard)])();
    await expect(agent.run({ message: 'go' })).rejects.toThrow(/'refund'/);
  });

  test('a record names the tools that were called and no others, so a replay takes it', async () => {
    const hooks = [forTools(['refund_order'], guard)];
    const conversation = [
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: 'hi' },
    ];
    const conversations = [readConversation(conversation, { file: 'a.json' } as never)];
    const report = await replay({ hooks, conversations } as never).report();
    expect(report).toMatchObject({ conversations: 1 });
  });
});
