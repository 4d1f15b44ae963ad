import { type ScriptEntry, textOf } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { expectStatus } from '../acceptance/play.ts';
import { answer, answering, BAD, callLook, GOOD, go } from './answering.ts';

const way = 'by call';
const good = answer(way, GOOD);
const callAnswer = (input: unknown) => ({ name: 'final_answer', input });

describe('a call of final_answer', () => {
  test('beside other calls is not executed, and the others run', async () => {
    const script = [{ toolCalls: [callAnswer(GOOD), callLook] }, good];
    const { agent, store, looks } = answering({ way, script });
    expect(await agent.run(go)).toMatchObject({ status: 'completed', output: GOOD, steps: 2 });
    expect(looks).toHaveLength(1);
    expect((await store.readMessages('t'))[2]).toMatchObject({
      content: [
        {
          toolName: 'final_answer',
          outcome: 'not-executed',
          output: expect.stringContaining("call 'final_answer' alone"),
        },
        { toolName: 'look', outcome: 'succeeded' },
      ],
    });
    const events = await store.readEvents('t');
    expect(events.filter(({ type }) => type === 'tool.refused')).toMatchObject([
      { outcome: 'not-executed', by: 'agent' },
    ]);
  });

  test('beside another one is no answer, and asked for again', async () => {
    const script = [{ toolCalls: [callAnswer(GOOD), callAnswer(GOOD)] }, good];
    const { agent, model, store } = answering({ way, script });
    expect(await agent.run(go)).toMatchObject({ status: 'completed', output: GOOD, steps: 2 });
    expect(JSON.stringify(model.requests[1]?.messages)).toContain('there were 2 final answers');
    expect(await store.readMessages('t')).toHaveLength(2);
  });

  test.each<[string, ScriptEntry, string]>([
    [
      'with cut arguments',
      { toolCalls: [{ name: 'final_answer', inputText: '{"total":12' }] },
      'not complete JSON',
    ],
    [
      'in an answer that was cut off',
      { toolCalls: [callAnswer(GOOD)], finishReason: 'length' },
      'cut off',
    ],
    [
      'with `__proto__`',
      { toolCalls: [{ name: 'final_answer', inputText: '{"__proto__":{}}' }] },
      "'__proto__'",
    ],
    ['that does not fit', answer(way, BAD), 'total: '],
    ['without arguments', { toolCalls: [{ name: 'final_answer', inputText: '' }] }, 'total: '],
    ['as a text', JSON.stringify(GOOD), "as a call of 'final_answer'"],
  ])('%s is asked for again, and enters no history', async (_how, first, problem) => {
    const { agent, model, store } = answering({ way, script: [first, good] });
    expect(await agent.run(go)).toMatchObject({ status: 'completed', output: GOOD, steps: 2 });
    const note = model.requests[1]?.messages.at(-1);
    expect(note === undefined ? '' : textOf(note)).toContain(problem);
    expect(await store.readMessages('t')).toHaveLength(2);
  });

  test('gives its arguments, and what was said beside them is dropped', async () => {
    const script = [{ text: 'Here you are', toolCalls: [callAnswer(GOOD)] }];
    const { agent, store } = answering({ way, script });
    const result = expectStatus(await agent.run(go), 'completed');
    expect(JSON.parse(result.text)).toEqual(GOOD);
    const events = await store.readEvents('t');
    expect(events.filter(({ type }) => type === 'message.outgoing')).toMatchObject([
      { text: result.text, isFinal: true },
    ]);
    expect(events.map(({ type }) => type)).not.toContain('tool.called');
    expect(JSON.stringify(await store.readMessages('t'))).not.toContain('Here you are');
  });

  test('keeps the thoughts beside it, which some providers want back', async () => {
    const script = [{ reasoning: 'hm', text: 'So:', toolCalls: [callAnswer(GOOD)] }];
    const { agent, store } = answering({ way, script });
    await agent.run(go);
    expect((await store.readMessages('t'))[1]).toMatchObject({
      content: [{ type: 'reasoning', text: 'hm' }, { type: 'text' }],
    });
  });

  test('is a tool nobody knows in a turn that wants a text', async () => {
    const { agent, store } = answering({ way, script: [good, 'a text'] });
    const { output: _wish, ...plain } = go;
    expect(await agent.run(plain)).toMatchObject({ status: 'completed', text: 'a text' });
    expect((await store.readMessages('t'))[2]).toMatchObject({
      content: [{ outcome: 'unknown-tool' }],
    });
  });

  test('is the only tool of an agent without tools', async () => {
    const { agent, model } = answering({ way, script: [good], more: { tools: [] } });
    expect(await agent.run(go)).toMatchObject({ output: GOOD });
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(['final_answer']);
    expect(model.requests[0]?.tools[0]?.inputSchema).toMatchObject({
      required: ['total', 'currency'],
    });
  });

  test('is in the same list of tools for every request', async () => {
    const script = [{ toolCalls: [callLook] }, good];
    const { agent, model } = answering({ way, script });
    await agent.run(go);
    expect(model.requests[1]?.tools).toBe(model.requests[0]?.tools);
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(['look', 'final_answer']);
  });
});

describe('a model that takes a schema', () => {
  test('is sent it with every request of the turn, and no tool is added', async () => {
    const script = [{ toolCalls: [callLook] }, JSON.stringify(GOOD)];
    const { agent, model } = answering({ way: 'native', script });
    await agent.run(go);
    for (const { tools, outputSchema } of model.requests) {
      expect(tools.map(({ name }) => name)).toEqual(['look']);
      expect(outputSchema).toMatchObject({ type: 'object', required: ['total', 'currency'] });
    }
  });
});
