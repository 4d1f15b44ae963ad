import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import {
  ArgumentsMissing,
  defineHooks,
  type JsonValue,
  type ScriptEntry,
  scriptedModel,
  ToolError,
  ToolRefused,
  ToolResultDecision,
  tool,
} from '../../src/index.ts';
import { Done, toolFormats } from '../../src/tools/index.ts';
import { ofType } from './evidence.ts';
import { counted, expectStatus, MODES, play, sleep } from './play.ts';
import { expectSound, placesOf, resultsIn } from './traces.ts';

const call = (name: string, input: object = {}, text?: string): ScriptEntry => ({
  ...(text !== undefined && { text }),
  toolCalls: [{ name, input: input as never }],
});

function failing(thrown: unknown) {
  return counted('book', {
    execute: () => {
      throw thrown;
    },
  }).tool;
}

describe.each(MODES)('%s', (mode) => {
  test('U-B3, U-C3: code gets real types, and the model and the history get JSON', async () => {
    const days: unknown[] = [];
    const book = tool({
      name: 'book',
      inputSchema: z.object({ day: toolFormats.date(), party: z.int().default(2) }),
      outputSchema: z.object({
        arrives: toolFormats.date(),
        status: z.string().default('held'),
      }),
      sideEffects: 'none',
      execute: ({ day, party }) => {
        days.push(day, party);
        return { arrives: '2026-10-17', internal: 1 } as { arrives: string };
      },
    });
    const model = scriptedModel([call('book', { day: '2026-10-16' }), 'done']);
    const played = await play(mode, { model, tools: [book] });
    expectStatus(played.result, 'completed');
    expect(days).toEqual([new Date(Date.UTC(2026, 9, 16)), 2]);
    expect(resultsIn(await played.store.readMessages('t'))['1.1.0']).toEqual({
      outcome: 'succeeded',
      output: { arrives: '2026-10-17', status: 'held' },
    });
    expect(JSON.stringify(await played.store.readMessages('t'))).toContain('"day":"2026-10-16"');
    await expectSound(played);
  });

  test.each([
    [new ToolError('Fully booked.'), { error: 'Fully booked. Do not claim success.' }],
    [new Error('SECRET'), { error: 'book failed before completing. Do not claim success.' }],
    [new ToolRefused('Ask for the day first.'), { refused: 'Ask for the day first.' }],
    [
      new ArgumentsMissing(['day'], { toolName: 'book' }),
      {
        refused: 'Still needed: day. Ask the user, then call book again.',
        missing: ['day'],
      },
    ],
  ])(
    'U-C10, U-C11, U-H8, U-H9, U-H11: %s is a result that the model reads, and no exception',
    async (thrown, output) => {
      const model = scriptedModel([call('book'), 'done']);
      const played = await play(mode, { model, tools: [failing(thrown)] });
      expectStatus(played.result, 'completed');
      expect(resultsIn(await played.store.readMessages('t'))['1.1.0']).toEqual({
        outcome: 'failed',
        output,
      });
      expect(ofType(played.heard, 'tool.failed')).toMatchObject([{ outcome: 'failed' }]);
      expect(ofType(played.heard, 'tool.succeeded')).toEqual([]);
      expect(await placesOf('SECRET', played)).toEqual([]);
      await expectSound(played);
    },
  );

  test('U-T8, U-P21: events tell the eventText of a failure, or the class of what was thrown', async () => {
    const thrown = [
      new ToolError('No order A-17', { eventText: 'no such order' }),
      new ToolError('No order A-17'),
      new RangeError('A-17'),
      Object.assign(new Error('x'), { name: 'A-17 is wrong' }),
    ];
    const reasons: unknown[] = [];
    for (const each of thrown) {
      const model = scriptedModel([call('book'), 'done']);
      const played = await play(mode, { model, tools: [failing(each)] });
      const [failed] = ofType(played.heard, 'tool.failed');
      reasons.push(failed?.reason);
      expect(JSON.stringify(played.heard)).not.toContain('A-17');
    }
    expect(reasons).toEqual([
      'no such order',
      undefined,
      'failed before completing (RangeError)',
      'failed before completing (Error)',
    ]);
  });

  test('U-E1 to U-E3, U-E7, U-E11: what is hidden is in no history, and policies and the ledger have it', async () => {
    const seen: unknown[] = [];
    const outputSchema = z.object({ id: z.string(), read_back: z.string() });
    const saved = { id: 'X1', read_back: 'HUSH' };
    const base = {
      inputSchema: z.object({}),
      outputSchema,
      tier: 'auto',
      execute: () => saved,
    } as const;
    const tools = [
      tool({ ...base, name: 'hides', hidden: ['read_back'] }),
      tool({ ...base, name: 'mute', showResult: false }),
      tool({
        ...base,
        name: 'fails',
        showResult: false,
        execute: () => ({ error: 'full' }) as never,
      }),
    ];
    const watch = defineHooks({
      name: 'watch',
      postToolUse: ({ toolName }, { output }) => {
        seen.push(output);
        return toolName === 'hides'
          ? ToolResultDecision.modify({ output: { ...saved, note: 'n' } })
          : undefined;
      },
    });
    const batch = { toolCalls: ['hides', 'mute', 'fails'].map((name) => ({ name })) };
    const model = scriptedModel([batch, 'done'], { strict: true });
    const played = await play(mode, { model, tools, hooks: [watch] });
    expectStatus(played.result, 'completed');
    expect(seen).toEqual([saved, saved, { error: 'full' }]);
    expect(Object.values(resultsIn(await played.store.readMessages('t')))).toEqual([
      { outcome: 'succeeded', output: { id: 'X1', note: 'n' } },
      { outcome: 'succeeded', output: { ok: true } },
      { outcome: 'failed', output: { error: 'full' } },
    ]);
    expect(await placesOf('HUSH', played)).toEqual([]);
    expect(JSON.stringify(model.requests)).not.toContain('HUSH');
    const ledger = await played.store.readLedger('t', ['1.1.0', '1.1.1']);
    expect(ledger.map(({ result }) => result?.output)).toEqual([{ ...saved, note: 'n' }, saved]);
    await expectSound(played);
  });

  test('U-E2: what a policy calls an error is read whole', async () => {
    const save = tool({
      name: 'save',
      inputSchema: z.object({}),
      outputSchema: z.object({ id: z.string() }),
      showResult: false,
      tier: 'auto',
      execute: () => ({ id: 'X1' }),
    });
    const marks = (result: { readonly isError?: true; readonly output: JsonValue }) =>
      defineHooks({ name: 'marks', postToolUse: () => ToolResultDecision.modify(result) });
    for (const result of [
      { output: { id: 'X1', why: 'wrong' }, isError: true },
      { output: { error: 'wrong' } },
    ] as const) {
      const model = scriptedModel([call('save'), 'done']);
      const played = await play(mode, { model, tools: [save], hooks: [marks(result)] });
      expect(resultsIn(await played.store.readMessages('t'))['1.1.0']?.output).toEqual(
        result.output,
      );
    }
  });

  test('U-J5, for an agent whose answer has a schema: a question is no answer, so the model replies', async () => {
    const model = scriptedModel([
      call('lookup', {}, 'Your birth date?'),
      call('final_answer', { n: 1 }),
    ]);
    const output = z.object({ n: z.number() });
    const played = await play(mode, { model, tools: [ask] }, { output } as object);
    expect(played.result).toMatchObject({ status: 'completed', output: { n: 1 }, steps: 2 });
  });

  const ask = tool({
    name: 'lookup',
    inputSchema: z.object({ birth_date: toolFormats.date(), code: z.string() }),
    tier: 'confirm',
    execute: () => 'found',
  });
  const refusal = {
    outcome: 'invalid',
    output: {
      refused: 'Still needed: birth_date, code. Ask the user, then call lookup again.',
      missing: ['birth_date', 'code'],
    },
  };

  test('U-J5: a model that asked beside its call is not asked again: the user is next', async () => {
    const model = scriptedModel([call('lookup', {}, 'May I have your birth date?'), 'not yet'], {
      strict: true,
    });
    const played = await play(mode, { model, tools: [ask] });
    expect(played.result).toMatchObject({
      status: 'completed',
      text: 'May I have your birth date?',
      steps: 1,
    });
    expect(model.calls).toBe(1);
    expect(ofType(played.heard, 'message.outgoing')).toMatchObject([
      { text: 'May I have your birth date?', isFinal: true },
    ]);
    expect(ofType(played.heard, 'tool.refused')).toMatchObject([{ outcome: 'invalid' }]);
    expect(ofType(played.heard, 'tool.started')).toEqual([]);
    const messages = await played.store.readMessages('t');
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    expect(resultsIn(messages)['1.1.0']).toEqual(refusal);
    await expectSound(played);
    // The thread goes on with the answer of the user, in a history that providers take.
    const next = await played.agent.run({ threadId: 't', message: '1 May 2000' });
    expect(next).toMatchObject({ status: 'completed', text: 'not yet', turnId: '2' });
  });

  test('U-J6, U-J8: a silent model replies to the refusal, and nobody is asked to approve the call', async () => {
    const model = scriptedModel([call('lookup'), 'May I have your birth date?']);
    const played = await play(mode, { model, tools: [ask] });
    expect(played.result).toMatchObject({ status: 'completed', steps: 2 });
    expect(ofType(played.heard, 'approval.requested')).toEqual([]);
    expect(resultsIn(await played.store.readMessages('t'))['1.1.0']).toEqual(refusal);
    await expectSound(played);
  });

  test('U-J5, when there is more in the batch: the model reads what came of it', async () => {
    const look = counted('look');
    const batch = {
      text: 'Your birth date? I look meanwhile.',
      toolCalls: [{ name: 'lookup' }, { name: 'look' }],
    };
    const model = scriptedModel([batch, 'done']);
    const played = await play(mode, { model, tools: [ask, look.tool] });
    expect(played.result).toMatchObject({ status: 'completed', text: 'done', steps: 2 });
    expect(look.inputs).toHaveLength(1);
  });

  test.each([
    ['that does not fit', { birth_date: 'soon', code: 'x' }],
    ['that is not known', { birth_date: '2000-01-01', code: 'x', bogus: 1 }],
  ])(
    'U-J5, for an argument %s: the model replies, whether it spoke or not',
    async (_what, input) => {
      const model = scriptedModel([call('lookup', input, 'I look it up.'), 'done']);
      const played = await play(mode, { model, tools: [ask] });
      expect(played.result).toMatchObject({ status: 'completed', text: 'done', steps: 2 });
    },
  );

  test('U-J5, when a policy took the question back: the user read none, so the model replies', async () => {
    const model = scriptedModel([call('lookup', {}, 'SECRET?'), 'done']);
    const hooks = [
      defineHooks({
        name: 'mask',
        onOutgoingMessage: ({ text }) =>
          text.includes('SECRET') ? { type: 'block', reason: 'no' } : undefined,
      }),
    ];
    const played = await play(mode, { model, tools: [ask], hooks });
    expect(played.result).toMatchObject({ status: 'completed', text: 'done', steps: 2 });
  });

  test('U-V1: an argument that no schema names reaches no policy and no tool', async () => {
    const seen: unknown[] = [];
    const gate = defineHooks({ name: 'gate', preToolUse: (asked) => void seen.push(asked) });
    const look = counted('look');
    const model = scriptedModel([call('look', { id: 'a', bogus: 1 }), 'done']);
    const played = await play(mode, { model, tools: [look.tool], hooks: [gate] });
    expectStatus(played.result, 'completed');
    expect(resultsIn(await played.store.readMessages('t'))['1.1.0']).toEqual({
      outcome: 'invalid',
      output: { refused: 'bogus is not an argument of look. Call look again without it.' },
    });
    expect([seen, look.inputs]).toEqual([[], []]);
  });

  test('U-C21: a tool of Done may return nothing', async () => {
    const note = tool({
      name: 'note',
      inputSchema: z.object({}),
      outputSchema: Done,
      tier: 'auto',
      execute: async () => {
        await sleep(1);
      },
    });
    const model = scriptedModel([call('note'), 'done']);
    const played = await play(mode, { model, tools: [note] });
    expect(resultsIn(await played.store.readMessages('t'))['1.1.0']).toEqual({
      outcome: 'succeeded',
      output: { ok: true },
    });
  });

  test('U-C16: what a policy puts in the place of a result is not checked again', async () => {
    const book = tool({
      name: 'book',
      inputSchema: z.object({}),
      outputSchema: z.object({ id: z.string() }),
      tier: 'auto',
      execute: () => ({ id: 'A' }),
    });
    const hooks = [
      defineHooks({
        name: 'swap',
        postToolUse: () => ToolResultDecision.modify({ output: { anything: 1 } }),
      }),
    ];
    const model = scriptedModel([call('book'), 'done']);
    const played = await play(mode, { model, tools: [book], hooks });
    expect(resultsIn(await played.store.readMessages('t'))['1.1.0']?.output).toEqual({
      anything: 1,
    });
  });

  test('U-S8: a tool reads who is there from the run, and an agent adds nothing', async () => {
    const { userContactTool } = await import('../../src/tools/index.ts');
    const model = scriptedModel([call('user_phone_number'), 'done']);
    const scene = { model, tools: [userContactTool()] };
    const session = { startedBy: 'agent' };
    const played = await play(mode, scene, { sender: { phone: '+34600112233' }, session });
    expect(resultsIn(await played.store.readMessages('t'))['1.1.0']?.output).toEqual({
      available: true,
      phone_number: '+34600112233',
      call_type: 'outbound',
      reason: null,
    });
  });

  test('U-W14: calls of one answer run beside each other, and their results keep the order', async () => {
    let running = 0;
    let most = 0;
    const wait = counted('wait', {
      sideEffects: 'none',
      execute: async ({ callId }) => {
        running += 1;
        most = Math.max(most, running);
        await sleep(callId.endsWith('0') ? 30 : 5);
        running -= 1;
        return callId;
      },
    });
    const batch = { toolCalls: Array.from({ length: 3 }, () => ({ name: 'wait' })) };
    const played = await play(mode, { model: scriptedModel([batch, 'done']), tools: [wait.tool] });
    const results = resultsIn(await played.store.readMessages('t'));
    expect(Object.values(results).map(({ output }) => output)).toEqual(['1.1.0', '1.1.1', '1.1.2']);
    expect(most).toBe(3);
  });
});
