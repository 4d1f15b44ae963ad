import { defineHooks, ErrorDecision, memoryStore, ToolDecision, textOf } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { dyingStore } from './desk.ts';
import { calls, hangUpTool, orderTool, resultDesk, saying } from './result-desk.ts';

const tools = [orderTool(), hangUpTool()];

describe('a tool that ends the conversation', () => {
  test('U-F1, U-F2, U-F4: the turn ends with what was said beside the call, and the thread after it', async () => {
    const desk = resultDesk({ script: [saying('Bye!', 'hang_up')], tools });
    const result = await desk.run();
    expect(result).toMatchObject({ status: 'completed', text: 'Bye!', steps: 1 });
    expect(desk.model.requests).toHaveLength(1);
    expect(desk.types().slice(-3)).toEqual(['step.finished', 'turn.finished', 'thread.ended']);
    expect(desk.heard.at(-1)).toMatchObject({ reason: "the tool 'hang_up' ended it" });
    expect(result.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    const stored = await desk.store.readEvents('t');
    expect(stored.at(-1)).toMatchObject({ type: 'thread.ended' });
  });

  test('without that, the model is asked again and the thread goes on', async () => {
    const open = hangUpTool({ endsConversation: false });
    const desk = resultDesk({ script: [saying('Bye!', 'hang_up'), 'Still here.'], tools: [open] });
    expect((await desk.run()).status).toBe('completed');
    expect(desk.model.requests).toHaveLength(2);
    expect(desk.types()).not.toContain('thread.ended');
  });

  test('as after endThread, a later message begins a new turn', async () => {
    const desk = resultDesk({ script: [saying('Bye!', 'hang_up'), 'Back again.'], tools });
    await desk.run();
    expect(await desk.run('One more thing')).toMatchObject({ text: 'Back again.' });
    const roles = (await desk.store.readMessages('t')).map(({ role }) => role);
    expect(roles).toEqual(['user', 'assistant', 'tool', 'user', 'assistant']);
    expect(desk.types().filter((type) => type === 'thread.ended')).toHaveLength(1);
  });

  test.each([
    ['find_order', 'hang_up'],
    ['hang_up', 'find_order'],
  ])('U-F3: also beside another: %s, %s', async (...names) => {
    const desk = resultDesk({ script: [saying('Bye!', ...names)], tools });
    expect(await desk.run()).toMatchObject({ status: 'completed', text: 'Bye!' });
    expect(desk.model.requests).toHaveLength(1);
    expect(desk.types().filter((type) => type === 'tool.succeeded')).toHaveLength(2);
  });

  test('U-F3: and beside one that fails, unless a policy ends the turn over that', async () => {
    const broken = orderTool({}, () => {
      throw new Error('down');
    });
    const script = [saying('Bye!', 'find_order', 'hang_up')];
    const desk = resultDesk({ script, tools: [broken, hangUpTool()] });
    expect(await desk.run()).toMatchObject({ status: 'completed', text: 'Bye!' });
    expect(desk.types().at(-1)).toBe('thread.ended');
    const abort = defineHooks({ name: 'abort', onError: () => ErrorDecision.abort() });
    const strict = resultDesk({ script, tools: [broken, hangUpTool()], hooks: [abort] });
    expect((await strict.run()).status).toBe('failed');
    expect(strict.types().at(-1)).toBe('thread.ended');
  });

  const goesOn = async (tool: ReturnType<typeof hangUpTool>, hooks: readonly object[] = []) => {
    const script = [saying('Bye!', 'hang_up'), 'I could not.'];
    const desk = resultDesk({ script, tools: [tool], hooks });
    expect(await desk.run()).toMatchObject({ status: 'completed', text: 'I could not.' });
    expect(desk.types()).not.toContain('thread.ended');
  };

  test('U-F5: a failure never ends it', () =>
    goesOn(
      hangUpTool({
        execute: () => {
          throw new Error('busy');
        },
      }),
    ));

  test.each([{ error: 'x' }, { ok: false }, { refused: 'not yet' }])(
    'U-F7: a result that reports an error never ends it: %j',
    (result) => goesOn(hangUpTool({ execute: () => result })),
  );

  test('U-F6: a call that a policy blocks never ends it', () =>
    goesOn(hangUpTool(), [
      defineHooks({ name: 'block', preToolUse: () => ToolDecision.block('no') }),
    ]));

  test('U-F6: a call whose arguments do not fit never ends it', async () => {
    const bad = { text: 'Bye!', toolCalls: [{ name: 'hang_up', input: { now: true } }] };
    const desk = resultDesk({ script: [bad, 'I could not.'], tools });
    expect(await desk.run()).toMatchObject({ text: 'I could not.' });
    expect(desk.types()).not.toContain('thread.ended');
  });

  test('a policy that answers in the place of the tool ends nothing: the tool did not run', () =>
    goesOn(hangUpTool(), [
      defineHooks({
        name: 'instead',
        wrapToolUse: async () => ({ outcome: 'succeeded', isError: false, output: null }) as const,
      }),
    ]));

  test('one that a person approved ends it when it has run', async () => {
    const asks = hangUpTool({ tier: 'confirm' });
    const desk = resultDesk({ script: [saying('Bye!', 'hang_up')], tools: [asks] });
    const asked = await desk.run();
    if (asked.status !== 'awaiting-approval') throw new Error(asked.status);
    const answers = asked.approvals.map(({ approvalId }) => ({
      approvalId,
      approved: true,
      by: 'ada',
    }));
    expect(await desk.agent.resume({ threadId: 't', answers })).toMatchObject({ text: 'Bye!' });
    expect(desk.types().at(-1)).toBe('thread.ended');
  });

  test('its end is not heard where it could not be stored', async () => {
    const store = dyingStore(memoryStore(), 2);
    const desk = resultDesk({ script: [saying('Bye!', 'hang_up')], tools, store });
    expect((await desk.run()).status).toBe('failed');
    expect(desk.types()).toContain('turn.finished');
    expect(desk.types()).not.toContain('thread.ended');
  });

  test('a reply without words ends the turn without any', async () => {
    const desk = resultDesk({ script: [calls('hang_up')], tools });
    expect(await desk.run()).toMatchObject({ status: 'completed', text: '' });
  });

  test('in runStep it ends the turn as well', async () => {
    const desk = resultDesk({ script: [saying('Bye!', 'hang_up')], tools });
    const result = await desk.agent.runStep({ threadId: 't', message: 'go' });
    expect(result).toMatchObject({ status: 'completed', text: 'Bye!' });
  });

  test('the text is the one that was judged', async () => {
    const { MessageDecision } = await import('agent-hooks');
    const tame = defineHooks({
      name: 'tame',
      onOutgoingMessage: () => MessageDecision.modify('Goodbye.'),
    });
    const desk = resultDesk({ script: [saying('Get lost!', 'hang_up')], tools, hooks: [tame] });
    const result = await desk.run();
    expect(result).toMatchObject({ text: 'Goodbye.' });
    expect(result.messages.map(textOf).join('')).not.toContain('lost');
  });
});
