import { AssertionError } from 'node:assert';
import { describe, expect, test } from 'vitest';
import { createAgent } from '../../src/agent/create-agent.ts';
import { ErrorDecision } from '../../src/decisions/error-decision.ts';
import { type ScriptEntry, scriptedModel } from '../../src/models/scripted.ts';
import { failure, request, uncancelled, user } from './requests.ts';

interface Played {
  readonly script: readonly ScriptEntry[];
  readonly calls: number;
}

async function complaint({ script, calls }: Played): Promise<string> {
  const model = scriptedModel(script, { id: 'm' });
  for (let call = 0; call < calls; call += 1) {
    await Promise.resolve(model.generate(request([user('hi')]), uncancelled())).catch(() => null);
  }
  try {
    model.assertComplete();
  } catch (error) {
    if (error instanceof AssertionError) return error.message;
    throw error;
  }
  return '';
}

describe('assertComplete', () => {
  test.each<[string, Played, string]>([
    ['every entry was used once', { script: ['a', new Error('x')], calls: 2 }, ''],
    ['an empty script and no call', { script: [], calls: 0 }, ''],
    [
      'an entry was never asked for',
      { script: ['a', 'b'], calls: 1 },
      'the script of model \'m\' has 2 entries, and 1 was used: entry 2 ("b") was never asked for',
    ],
    [
      'several were not, and the first is described',
      { script: [{ text: 'x'.repeat(60), toolCalls: [{ name: 'pay' }] }, 'b', 'c'], calls: 0 },
      `the script of model 'm' has 3 entries, and 0 were used: entry 1 ("${'x'.repeat(39)}…", a call of 'pay') was never asked for, and 2 after it`,
    ],
    [
      'a function and an error are named as such',
      { script: [() => 'a'], calls: 0 },
      "the script of model 'm' has 1 entry, and 0 were used: entry 1 (a function) was never asked for",
    ],
    [
      'one was asked for too many',
      { script: ['a'], calls: 2 },
      "the script of model 'm' has 1 entry, and there were 2 calls: call 2 found no entry",
    ],
  ])('%s', async (_, played, message) => {
    expect(await complaint(played)).toBe(message);
  });

  test('a call too many is told of although a policy hid the failure', async () => {
    const model = scriptedModel([{ toolCalls: [{ name: 'none' }] }], { id: 'm' });
    const onError = () => ErrorDecision.fallback('Sorry.');
    const agent = createAgent({ name: 'a', model, hooks: [{ name: 'hide', onError }] });
    expect(await agent.run({ message: 'hi' })).toMatchObject({ text: 'Sorry.' });
    expect(() => model.assertComplete()).toThrow(/there were 2 calls: call 2 found no entry/);
  });

  test('a request that a strict model refused is told of', async () => {
    const model = scriptedModel(['a'], { strict: true, id: 'm' });
    await failure(model.generate(request([]), uncancelled()));
    expect(() => model.assertComplete()).toThrow(
      "model 'm' refused call 1: there is no message to answer",
    );
  });
});

test('a text is streamed in the pieces it is given in, cut within a character too', async () => {
  const pieces = ['a\ud83d', '', '\ude00b'];
  const model = scriptedModel([{ pieces }, { pieces }]);
  const streamed: string[] = [];
  for await (const part of model.stream(request([user('hi')]), uncancelled()))
    if (part.type === 'text') streamed.push(part.text);
  expect(streamed).toEqual(pieces);
  const { content } = await model.generate(request([user('hi')]), uncancelled());
  expect(content).toEqual([{ type: 'text', text: 'a😀b' }]);
});
