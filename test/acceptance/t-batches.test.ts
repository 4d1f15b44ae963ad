import { describe, expect, test } from 'vitest';
import { scriptedModel, toolResultsOf } from '../../src/index.ts';
import { latch } from './latch.ts';
import { counted, expectStatus, MODES, play, sleep } from './play.ts';
import { expectSound, resultsIn } from './traces.ts';

const names = ['a', 'b', 'c'];
const script = [{ toolCalls: names.map((name) => ({ name })) }, 'done'];

/** Three tools that each end only when all three have begun. */
function barrier() {
  let arrived = 0;
  const { whenOpen, open } = latch();
  return names.map((name) => {
    const execute = async () => {
      arrived += 1;
      if (arrived === names.length) open();
      await whenOpen;
    };
    return counted(name, { sideEffects: 'none', timeoutMs: 60, execute }).tool;
  });
}

/** Three tools of which the first takes longest; who is at work at once, and who ends when. */
function watched() {
  const ends: string[] = [];
  let working = 0;
  let peak = 0;
  const tools = names.map((name, index) => {
    const execute = async () => {
      working += 1;
      peak = Math.max(peak, working);
      await sleep(30 - 10 * index);
      working -= 1;
      ends.push(name);
      return `${name} done`;
    };
    return counted(name, { sideEffects: 'none', execute }).tool;
  });
  return { tools, ends, peak: () => peak };
}

describe.each(MODES)('%s', (mode) => {
  test('T02: tools that only look run beside each other', async () => {
    const played = await play(mode, { model: scriptedModel(script), tools: barrier() });
    expectStatus(played.result, 'completed');
    const results = Object.values(resultsIn(await played.store.readMessages('t')));
    expect(results.map(({ outcome }) => outcome)).toEqual(Array(3).fill('succeeded'));
    await expectSound(played);
  });

  test('T02, one at a time: the same tools wait for each other in vain', async () => {
    const tools = barrier();
    const scene = { model: scriptedModel(script), tools, maxParallelTools: 1 };
    const played = await play(mode, scene);
    const results = Object.values(resultsIn(await played.store.readMessages('t')));
    expect(results.map(({ output }) => output).slice(0, 2)).toEqual(
      Array(2).fill({ error: 'Tool timed out. Do not claim success.' }),
    );
  });

  test('T03: with one at a time they run and end in the order of the calls', async () => {
    const { tools, ends, peak } = watched();
    const scene = { model: scriptedModel(script), tools, maxParallelTools: 1 };
    const played = await play(mode, scene);
    expectStatus(played.result, 'completed');
    expect([peak(), ends]).toEqual([1, names]);
    const told = played.heard.flatMap((event) =>
      event.type === 'tool.succeeded' ? [event.toolName] : [],
    );
    expect(told).toEqual(names);
    await expectSound(played);
  });

  test('T03, with more: they overlap, and their results still stand in the order of the calls', async () => {
    const { tools, ends, peak } = watched();
    const played = await play(mode, { model: scriptedModel(script), tools });
    expect([peak(), ends]).toEqual([3, names.toReversed()]);
    const results = Object.values(resultsIn(await played.store.readMessages('t')));
    expect(results.map(({ output }) => output)).toEqual(['a done', 'b done', 'c done']);
  });

  test('T07: the results of one answer are one message, in the store and in the next request', async () => {
    const tools = names.map((name) => counted(name).tool);
    const model = scriptedModel(script, { strict: true });
    const played = await play(mode, { model, tools });
    expectStatus(played.result, 'completed');
    const stored = await played.store.readMessages('t');
    expect(stored.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    const sent = model.requests[1]?.messages.filter(({ role }) => role === 'tool') ?? [];
    expect(sent).toHaveLength(1);
    expect(sent.flatMap(toolResultsOf).map(({ output }) => output)).toEqual([
      'a done',
      'b done',
      'c done',
    ]);
  });
});
