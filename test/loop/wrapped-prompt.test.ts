import {
  defineHooks,
  type Message,
  type PromptInfo,
  PromptSuffix,
  scriptedModel,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { counted, expectStatus, MODES, play } from '../acceptance/play.ts';

const systemTexts = (messages: readonly Message[] = []): readonly string[] =>
  messages.flatMap((message) => (message.role === 'system' ? [message.content] : []));

describe.each(MODES)('the system prompt (%s)', (mode) => {
  const look = counted('look', { sideEffects: 'none' });

  test('U-X1, U-X2: policies build on it for each request, before preLlmRequest sees it', async () => {
    const model = scriptedModel([{ toolCalls: [{ name: 'look' }] }, 'done']);
    const infos: PromptInfo[] = [];
    const judged: (readonly string[])[] = [];
    const policy = defineHooks({
      name: 'dates',
      systemPrompt(prompt, info) {
        infos.push(info);
        return `${prompt} Step ${info.step}.`;
      },
      preLlmRequest({ messages }) {
        judged.push(systemTexts(messages));
        return undefined;
      },
    });
    const { result, heard } = await play(mode, {
      model,
      tools: [look.tool],
      instructions: 'Hi {{name}}.',
      hooks: [policy],
    });
    expectStatus(result, 'completed');
    const expected = [['Hi {{name}}. Step 1.'], ['Hi {{name}}. Step 2.']];
    expect(model.requests.map(({ messages }) => systemTexts(messages))).toEqual(expected);
    expect(judged).toEqual(expected);
    expect(infos).toMatchObject([
      { site: 'main', model: 'scripted', threadId: 't', turnId: '1', step: 1 },
      { site: 'main', step: 2 },
    ]);
    const decided = heard.filter((event) => event.type === 'hook.decided');
    expect(decided).toMatchObject([
      { point: 'systemPrompt', decision: 'modify', step: 1 },
      { point: 'systemPrompt', decision: 'modify', step: 2 },
    ]);
  });

  test.each([false, true])(
    'twin: every request has the same message, with a policy that keeps it: %s',
    async (isKept) => {
      const model = scriptedModel([{ toolCalls: [{ name: 'look' }] }, 'done']);
      const keeps = defineHooks({ name: 'keeps', systemPrompt: () => undefined });
      const hooks = isKept ? [keeps] : [];
      await play(mode, { model, tools: [look.tool], instructions: 'Hi.', hooks });
      const [first, second] = model.requests;
      expect(systemTexts(first?.messages)).toEqual(['Hi.']);
      expect(first?.messages[0]).toEqual(second?.messages[0]);
      // Each step of a host is a run of its own.
      if (mode !== 'runStep') expect(first?.messages[0]).toBe(second?.messages[0]);
    },
  );

  test('an agent without instructions is asked about nothing, and what is given is sent', async () => {
    const model = scriptedModel(['done', 'done']);
    const asked: string[] = [];
    const policy = defineHooks({
      name: 'adds',
      systemPrompt(prompt) {
        asked.push(prompt);
        return 'Be brief.';
      },
    });
    await play(mode, { model, hooks: [policy] });
    expect(asked).toEqual(['']);
    expect(systemTexts(model.requests[0]?.messages)).toEqual(['Be brief.']);
  });

  test('an empty one is not sent', async () => {
    const model = scriptedModel(['done']);
    const clears = defineHooks({ name: 'clears', systemPrompt: () => '' });
    await play(mode, { model, instructions: 'Hi.', hooks: [clears] });
    expect(model.requests[0]?.messages.map(({ role }) => role)).toEqual(['user']);
  });

  test('U-Z9: one that throws fails the request: nothing is called, stored or quoted', async () => {
    const model = scriptedModel(['done']);
    const throws = defineHooks({
      name: 'throws',
      systemPrompt() {
        throw new Error('secret');
      },
    });
    const { result, store, heard } = await play(mode, {
      model,
      hooks: [throws],
      fallbacks: { 'hook-failure': 'Sorry.' },
    });
    const { error, text } = expectStatus(result, 'failed');
    expect(error).toMatchObject({ code: 'hook-failed', point: 'systemPrompt', policy: 'throws' });
    expect(text).toBe('Sorry.');
    expect(model.calls).toBe(0);
    expect(await store.readMessages('t')).toEqual([]);
    expect(heard.find(({ type }) => type === 'hook.failed')).toMatchObject({ open: false });
    expect(JSON.stringify(heard)).not.toContain('secret');
  });

  test('an open failure sends the prompt so far', async () => {
    const model = scriptedModel(['done']);
    const throws = defineHooks({
      name: 'throws',
      options: { systemPrompt: { failure: 'open' } },
      systemPrompt() {
        throw new Error('secret');
      },
    });
    const { result } = await play(mode, {
      model,
      instructions: 'Hi.',
      hooks: [new PromptSuffix('/a', { name: 'a' }), throws, new PromptSuffix('/b', { name: 'b' })],
    });
    expectStatus(result, 'completed');
    expect(systemTexts(model.requests[0]?.messages)).toEqual(['Hi.\n\n/a\n\n/b']);
  });

  test('U-AD1, U-AD3: a suffix comes after the prompt of the model it is for, and of no other', async () => {
    for (const [only, expected] of [
      [undefined, 'P\n\n/no_think'],
      ['scripted', 'P\n\n/no_think'],
      ['other', 'P'],
    ] as const) {
      const model = scriptedModel(['done']);
      const suffix = new PromptSuffix('/no_think', only === undefined ? {} : { model: only });
      await play(mode, { model, instructions: 'P', hooks: [suffix] });
      expect(systemTexts(model.requests[0]?.messages)).toEqual([expected]);
    }
  });
});
