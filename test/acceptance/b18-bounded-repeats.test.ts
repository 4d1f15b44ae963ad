import { describe, expect, test } from 'vitest';
import { scriptedModel } from '../../src/index.ts';
import { answersTo } from './approve.ts';
import { counted, expectStatus, MODES, play } from './play.ts';
import { expectSound, resultsIn } from './traces.ts';

const forever = <Entry>(entry: Entry): Entry[] => Array.from({ length: 200 }, () => entry);

describe.each(MODES)('%s', (mode) => {
  test('B18: arguments that are cut off again and again end the run, with the reason', async () => {
    const charge = counted('charge');
    const cut = { toolCalls: [{ name: 'charge', inputText: '{"id": "a' }] };
    const model = scriptedModel(forever(cut), { strict: true });
    const played = await play(mode, { model, tools: [charge.tool] });
    expect(expectStatus(played.result, 'failed').error).toMatchObject({
      code: 'unusable-calls',
      message: expect.stringContaining('8 answers in a row'),
    });
    expect(model.calls).toBe(8);
    expect(charge.inputs).toEqual([]);
    await expectSound(played);
  });

  test('B18: one usable call in between starts the count again', async () => {
    const charge = counted('charge');
    const cut = { toolCalls: [{ name: 'charge', inputText: '{"id": "a' }] };
    const good = { toolCalls: [{ name: 'charge' }] };
    const seven = Array.from({ length: 7 }, () => cut);
    const model = scriptedModel([...seven, good, ...seven, 'done']);
    const played = await play(mode, { model, tools: [charge.tool] });
    expect(expectStatus(played.result, 'completed').text).toBe('done');
    expect(charge.inputs).toHaveLength(1);
  });

  test('B19: an answer with nothing in it is asked for again, a few times, and then ends the run', async () => {
    const model = scriptedModel(['hello', ...forever('')], { strict: true });
    const played = await play(mode, { model });
    const empty = await played.agent.run({ threadId: 't', message: 'again' });
    expect(expectStatus(empty, 'failed').error).toMatchObject({ code: 'empty-response' });
    expect(model.calls).toBe(4);
    const retries = played.heard.filter(({ type }) => type === 'llm.retrying');
    expect(retries).toMatchObject([{ attempt: 2 }, { attempt: 3 }]);
    const stored = await played.store.readMessages('t');
    expect(stored.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    await expectSound(played);
  });

  test('B19: an empty turn is not in the requests after it', async () => {
    const model = scriptedModel(['', 'hello', 'fine'], { strict: true });
    const played = await play(mode, { model });
    expect(expectStatus(played.result, 'completed').text).toBe('hello');
    expectStatus(await played.agent.run({ threadId: 't', message: 'again' }), 'completed');
    const roles = model.requests.map(({ messages }) => messages.map(({ role }) => role).join());
    expect(roles).toEqual(['user', 'user', 'user,assistant,user']);
  });

  test.each(['nonexistent_tool', '__proto__', 'constructor', 'toString'])(
    'B20: the unknown tool "%s" is answered, and the model goes on',
    async (name) => {
      const charge = counted('charge');
      const model = scriptedModel([{ toolCalls: [{ name }, { name: 'charge' }] }, 'done']);
      const played = await play(mode, { model, tools: [charge.tool] });
      expectStatus(played.result, 'completed');
      const results = resultsIn(await played.store.readMessages('t'));
      expect(results['1.1.0']).toEqual({
        outcome: 'unknown-tool',
        output: {
          error:
            'Unknown tool: there is no tool of this name; there are: charge. Do not claim success.',
        },
      });
      expect(results['1.1.1']?.outcome).toBe('succeeded');
      await expectSound(played);
    },
  );
});

describe('B21: a model that repeats a refused call', () => {
  const call = { toolCalls: [{ name: 'charge', input: { id: 'a' } }] };

  test('the person is asked once for the same call, and the model is told why', async () => {
    const charge = counted('charge', { tier: 'confirm' });
    const model = scriptedModel(
      [
        call,
        // The same input in another order of words is the same call.
        { toolCalls: [{ name: 'charge', inputText: ' {"id" : "a"} ' }] },
        call,
        'I give up',
      ],
      { strict: true },
    );
    const paused = await play('run', { model, tools: [charge.tool] });
    const answers = answersTo(paused.result, false, { reason: 'too much' });
    const result = await paused.agent.resume({ threadId: 't', answers });
    expect(expectStatus(result, 'completed').text).toBe('I give up');
    expect(JSON.stringify(model.requests[1])).toContain('too much');
    const outputs = Object.values(resultsIn(await paused.store.readMessages('t')));
    expect(outputs.slice(1)).toEqual([
      {
        outcome: 'denied',
        output: 'Not approved: the same call was refused earlier in this turn',
      },
      {
        outcome: 'denied',
        output: 'Not approved: the same call was refused earlier in this turn',
      },
    ]);
    expect(charge.inputs).toEqual([]);
    await expectSound(paused);
  });

  test('without end, the limit of steps ends it', async () => {
    const charge = counted('charge', { tier: 'confirm' });
    const model = scriptedModel(forever(call));
    const paused = await play('run', { model, tools: [charge.tool], limits: { steps: 5 } });
    const result = await paused.agent.resume({
      threadId: 't',
      answers: answersTo(paused.result, false),
    });
    expect(expectStatus(result, 'limited').limit).toBe('steps');
    expect(model.calls).toBe(5);
    await expectSound(paused);
  });

  test('another call, or the same in another turn, is asked about again', async () => {
    const charge = counted('charge', { tier: 'confirm' });
    const other = { toolCalls: [{ name: 'charge', input: { id: 'b' } }] };
    const model = scriptedModel([call, other, 'fine', call]);
    const paused = await play('run', { model, tools: [charge.tool] });
    const answer = (result: typeof paused.result, approved: boolean) =>
      paused.agent.resume({ threadId: 't', answers: answersTo(result, approved) });
    const second = await answer(paused.result, false);
    const done = await answer(second, true);
    expectStatus(done, 'completed');
    expect(charge.inputs).toEqual([{ id: 'b' }]);
    const third = await paused.agent.run({ threadId: 't', message: 'once more' });
    expectStatus(third, 'awaiting-approval');
    await expectSound(paused);
  });
});
