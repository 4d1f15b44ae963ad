import { defineHooks, MessageDecision, PromptSuffix, ToolDecision } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { MODES } from '../acceptance/modes.ts';
import { calling, type State, stateDesk, stateTool } from './state-desk.ts';

const instructions = 'Hi {{customer.name}}, {{day}}. Visits: {{visits}}. Data: {{customer}}.';
const promptsOf = (desk: {
  readonly model: {
    readonly requests: readonly {
      readonly messages: readonly { readonly role: string; readonly content: unknown }[];
    }[];
  };
}) =>
  desk.model.requests.map(({ messages }) =>
    messages.filter(({ role }) => role === 'system').map(({ content }) => content),
  );

describe.each(MODES)(
  'U-X1: in $name, placeholders are filled after the policies at systemPrompt',
  ({ turn }) => {
    test('U-X1: which see the text as it is written', async () => {
      const seen: string[] = [];
      const builds = defineHooks({
        name: 'builds',
        systemPrompt: (prompt) => {
          seen.push(prompt);
          return `${prompt} Today is {{day}}. {{dya}} {{x}}`;
        },
      });
      const sent: unknown[] = [];
      const reads = defineHooks({
        name: 'reads',
        preLlmRequest: ({ messages }) => void sent.push(messages[0]?.content),
      });
      const desk = stateDesk({ script: ['hi'], hooks: [builds, reads], more: { instructions } });
      const state = { day: 'monday', customer: { name: 'Ann', vip: true } };
      await turn(desk.agent, { threadId: 't', message: 'go', ...{ state } });
      expect(seen).toEqual([instructions]);
      const filled =
        'Hi Ann, monday. Visits: 0. Data: {"name":"Ann","vip":true}. Today is monday. {{dya}} {{x}}';
      expect(promptsOf(desk)).toEqual([[filled]]);
      expect(sent).toEqual([filled]);
    });

    test('what is not set is empty, and what a tool sets is in the next request', async () => {
      const put = stateTool('put', ({ state }) => state.set('day', 'friday'));
      const desk = stateDesk({
        script: [calling('put'), calling('put')],
        tools: [put],
        more: { instructions: 'It is {{day}}.' },
      });
      await turn(desk.agent, { threadId: 't', message: 'go' });
      expect(promptsOf(desk)).toEqual([['It is .'], ['It is friday.']]);
    });
  },
);

describe('a value in a prompt', () => {
  test('is data: it is filled once, whatever it holds', async () => {
    const desk = stateDesk({ script: ['hi'], more: { instructions: '{{day}}|{{customer.name}}' } });
    const state = {
      day: '{{customer.name}} $& {{visits}}',
      customer: { name: '{{day}}', vip: false },
    };
    await desk.agent.run({ message: 'go', state });
    expect(promptsOf(desk)).toEqual([['{{customer.name}} $& {{visits}}|{{day}}']]);
  });

  test('a prompt that is empty once it is filled is not sent', async () => {
    const desk = stateDesk({ script: ['hi'], more: { instructions: '{{day}}' } });
    await desk.agent.run({ message: 'go' });
    expect(promptsOf(desk)).toEqual([[]]);
  });

  test('PromptSuffix follows the filled prompt', async () => {
    const desk = stateDesk({
      script: ['hi'],
      hooks: [new PromptSuffix('/no_think')],
      more: { instructions: 'Hi {{day}}' },
    });
    await desk.agent.run({ message: 'go', state: { day: 'Ann' } });
    expect(promptsOf(desk)).toEqual([['Hi Ann\n\n/no_think']]);
  });

  test('without a schema nothing is filled', async () => {
    const desk = stateDesk({
      script: ['hi'],
      more: { instructions: 'Use {{mustache}}', stateSchema: undefined as never },
    });
    await desk.agent.run({ message: 'go' });
    expect(promptsOf(desk)).toEqual([['Use {{mustache}}']]);
  });
});

describe('placeholders in a fallback text', () => {
  const fallbacks = {
    'user-message': 'Sorry, {{customer.name}}.',
    outgoing: 'Not that, {{day}}.',
    'hook-failure': 'Oh, {{visits}}{{day}}.',
  };
  const state = { day: '{{visits}}', customer: { name: 'Ann', vip: false } };

  test('are filled in the result and in what is shown', async () => {
    const no = defineHooks({ name: 'no', onUserMessage: () => MessageDecision.block('no') });
    const { agent, heard } = stateDesk({ script: [], hooks: [no], more: { fallbacks } });
    const result = await agent.run({ message: 'go', state });
    expect(result).toMatchObject({ status: 'blocked', text: 'Sorry, Ann.' });
    expect(heard).toContainEqual(
      expect.objectContaining({ type: 'message.outgoing', text: 'Sorry, Ann.' }),
    );
  });

  test('beside tool calls, with what tools have set; and once only', async () => {
    const put = stateTool('put', ({ state: values }) => values.set('day', 'friday'));
    const no = defineHooks({
      name: 'no',
      onOutgoingMessage: ({ isFinal }) => (isFinal ? undefined : MessageDecision.block('no')),
    });
    const beside = { text: 'One moment', toolCalls: [{ name: 'put' }] };
    const { agent, heard } = stateDesk({
      script: [beside, beside, 'done'],
      tools: [put],
      hooks: [no],
      more: { fallbacks },
    });
    await agent.run({ message: 'go', state });
    const shown = heard.flatMap((event) =>
      event.type === 'message.outgoing' && event.fallback !== undefined ? [event.text] : [],
    );
    expect(shown).toEqual(['Not that, {{visits}}.', 'Not that, friday.']);
  });

  test('of a run that never began hold the defaults', async () => {
    const { agent } = stateDesk({
      script: [],
      more: {
        fallbacks,
        hooks: () => {
          throw new Error('no policies');
        },
      },
    });
    expect(await agent.run({ message: 'go' })).toMatchObject({ status: 'failed', text: 'Oh, 0.' });
  });

  test('a text that a policy gives is shown as it is', async () => {
    const gives = defineHooks<unknown, State>({
      name: 'gives',
      onError: () => ({ type: 'fallback', text: 'Braces: {{day}}' }),
    });
    const { agent } = stateDesk({
      script: [new Error('down')],
      hooks: [gives],
      more: { fallbacks },
    });
    expect(await agent.run({ message: 'go', state })).toMatchObject({
      status: 'failed',
      text: 'Braces: {{day}}',
    });
  });
});

test('an approval that waits is judged again with the state as it is then', async () => {
  const seen: unknown[] = [];
  const ask = defineHooks<unknown, State>({
    name: 'ask',
    preToolUse: (_call, ctx) => {
      seen.push(ctx.state.day);
      return ToolDecision.requiresConfirmation('sure?');
    },
  });
  const put = stateTool('put', ({ state }) => state.set('day', 'friday'));
  const { agent } = stateDesk({ script: [calling('put')], tools: [put], hooks: [ask] });
  const paused = await agent.run({ threadId: 't', message: 'go', state: { day: 'monday' } });
  if (paused.status !== 'awaiting-approval') throw new Error(paused.status);
  const answers = paused.approvals.map(({ approvalId }) => ({
    approvalId,
    approved: true,
    by: 'boss',
  }));
  expect((await agent.resume({ threadId: 't', answers })).state).toMatchObject({ day: 'friday' });
  expect(seen).toEqual(['monday', 'monday']);
});
