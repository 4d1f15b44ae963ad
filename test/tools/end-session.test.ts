import { defineHooks, MessageDecision, textOf } from 'agent-hooks';
import { endSessionTool, GOODBYE_LINE } from 'agent-hooks/tools';
import { describe, expect, test } from 'vitest';
import { calls, hangUpTool, orderTool, resultDesk, saying } from '../loop/result-desk.ts';

const ending = (text: string, goodbye: string | null = 'See you!') =>
  resultDesk({
    script: [saying(text, 'end_session')],
    tools: [endSessionTool('When the user says goodbye', goodbye)],
  });

describe('the ready-made end of a conversation', () => {
  test('U-F9, U-F11: says its line where the reply that called it had no words, and asks the model no more', async () => {
    const desk = ending('');
    const result = await desk.run();
    expect(result).toMatchObject({ status: 'completed', text: 'See you!', steps: 1 });
    expect(result.messages.map(textOf).at(-1)).toBe('See you!');
    expect(desk.heard.find(({ type }) => type === 'line.said')).toMatchObject({ kind: 'goodbye' });
    expect(desk.types()).not.toContain('tool.replied');
    expect(desk.types().at(-1)).toBe('thread.ended');
  });

  test('U-F9: and not where it had some', async () => {
    const desk = ending('Bye.');
    expect(await desk.run()).toMatchObject({ status: 'completed', text: 'Bye.', steps: 1 });
    expect(desk.types()).not.toContain('line.said');
    expect((await desk.store.readMessages('t')).map(textOf).join('')).toBe('goBye.');
  });

  test('U-F10: null says the line that every agent has', async () => {
    expect(await ending('', null).run()).toMatchObject({ text: GOODBYE_LINE });
    const tools = [endSessionTool('At the end', undefined, { name: 'stop' })];
    const desk = resultDesk({ script: [calls('stop')], tools });
    expect(await desk.run()).toMatchObject({ text: 'Goodbye!' });
  });

  test('the line is filled from the state, and left out where it cannot be', async () => {
    const desk = ending('', 'Bye, {{name}}!');
    const start = { threadId: 'a', message: 'go', state: { name: 'Ada' } };
    expect(await desk.agent.run(start)).toMatchObject({ text: 'Bye, Ada!' });
    expect(await ending('', 'Bye, {{name}}!').run()).toMatchObject({
      text: '',
      status: 'completed',
    });
  });

  test('a blocked line is not said, and the conversation ends all the same', async () => {
    const hooks = [
      defineHooks({ name: 'block', onOutgoingMessage: () => MessageDecision.block('no') }),
    ];
    const tools = [endSessionTool('At the end')];
    const desk = resultDesk({ script: [calls('end_session')], tools, hooks });
    expect(await desk.run()).toMatchObject({ status: 'completed', text: '', steps: 1 });
    expect(desk.types().at(-1)).toBe('thread.ended');
  });

  test('a tool of the app may have one too; without it nothing is said', async () => {
    const own = resultDesk({
      script: [calls('hang_up')],
      tools: [hangUpTool({ goodbye: 'Bye!' })],
    });
    expect(await own.run()).toMatchObject({ text: 'Bye!' });
  });

  test('beside a call that failed it is said all the same', async () => {
    const broken = orderTool({}, () => {
      throw new Error('down');
    });
    const tools = [broken, endSessionTool('At the end')];
    const desk = resultDesk({ script: [calls('find_order', 'end_session')], tools });
    expect(await desk.run()).toMatchObject({ status: 'completed', text: GOODBYE_LINE });
  });

  test('beside a line that a policy refused it is said all the same', async () => {
    const hooks = [
      defineHooks({
        name: 'block',
        onOutgoingMessage: ({ text }) =>
          text === 'Mine.' ? MessageDecision.block('no') : undefined,
      }),
    ];
    const tools = [orderTool({ replies: [{ say: 'Mine.' }] }), endSessionTool('At the end')];
    const desk = resultDesk({ script: [calls('find_order', 'end_session')], tools, hooks });
    expect(await desk.run()).toMatchObject({ status: 'completed', text: GOODBYE_LINE });
  });

  test('of two it is that of the first', async () => {
    const tools = [hangUpTool({ goodbye: 'Bye!' }), endSessionTool('At the end')];
    const desk = resultDesk({ script: [calls('hang_up', 'end_session')], tools });
    expect(await desk.run()).toMatchObject({ text: 'Bye!' });
    expect(desk.types().filter((type) => type === 'thread.ended')).toHaveLength(1);
  });

  test('a misspelled option is refused', () => {
    const options = { nam: 'stop' } as object;
    expect(() => endSessionTool('At the end', null, options)).toThrow("Did you mean 'name'?");
  });
});
