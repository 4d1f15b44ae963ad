import {
  type AgentOptions,
  budgetNote,
  createAgent,
  memoryStore,
  type Note,
  type NoteInfo,
  RequestDecision,
  ResponseDecision,
  type ScriptEntry,
  scriptedModel,
  textOf,
  tool,
  toolHints,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { expectStatus, illegal } from '../acceptance/play.ts';

const HEAD = '[A note from the system that runs you, not from the user.]';
const look = tool({
  name: 'look',
  description: 'Looks',
  inputSchema: z.object({}),
  sideEffects: 'none',
  execute: () => 'seen',
});
const looks: ScriptEntry = { toolCalls: [{ name: 'look' }, { name: 'look' }] };

function noting(notes: readonly Note[], script: readonly ScriptEntry[], more?: object) {
  const model = scriptedModel(script, { strict: true });
  const store = memoryStore();
  const options: AgentOptions = { name: 'a', model, tools: [look], store, notes, ...more };
  return { agent: createAgent(options), model, store };
}

const go = { threadId: 't', message: 'go' };

describe('a note', () => {
  test('is in the request of its call only, as a message that is not the user’s', async () => {
    const note: Note = {
      name: 'first',
      text: ({ step }) => (step === 1 ? 'Be brief.' : undefined),
    };
    const { agent, model } = noting([note], [looks, 'done']);
    await agent.run(go);
    expect(model.requests[0]?.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'go' }] },
      { role: 'user', content: [{ type: 'text', text: `${HEAD}\nBe brief.` }] },
    ]);
    expect(JSON.stringify(model.requests[1])).not.toContain('Be brief');
  });

  test('is in no history, event, result or store', async () => {
    const { agent, store } = noting([{ name: 'n', text: () => 'canary' }], [looks, 'done']);
    const heard: unknown[] = [];
    agent.on('*', (event) => heard.push(event));
    const kept: unknown[] = [await agent.run(go), heard, await store.readMessages('t')];
    kept.push(await store.readEvents('t'), await store.load('t'));
    expect(JSON.stringify(kept)).not.toContain('canary');
  });

  test('twin: without notes the request is the history', async () => {
    const { agent, model } = noting([], ['done']);
    await agent.run(go);
    expect(model.requests[0]?.messages).toHaveLength(1);
  });

  test('goes with others, and with feedback, into one message', async () => {
    let asked = 0;
    const hooks = [
      {
        name: 'guard',
        onLlmResponse: () => {
          asked += 1;
          return asked === 1 ? ResponseDecision.retryWithFeedback('shorter') : undefined;
        },
      },
    ];
    const notes = ['one', '', 'two'].map((text, index) => ({ name: `${index}`, text: () => text }));
    const { agent, model } = noting(notes, ['long', 'short'], { hooks });
    await agent.run(go);
    const texts = model.requests.map(({ messages }) => messages.slice(1).map(textOf));
    expect(texts).toEqual([
      [`${HEAD}\none\ntwo`],
      [`${HEAD.slice(0, -1)} Your last answer was not delivered.]\n[guard] shorter\none\ntwo`],
    ]);
  });

  test('is part of what preLlmRequest judges', async () => {
    const seen: string[] = [];
    const hooks = [
      {
        name: 'guard',
        preLlmRequest: ({ messages }: { readonly messages: readonly unknown[] }) => {
          seen.push(JSON.stringify(messages.at(-1)));
          return RequestDecision.block('no');
        },
      },
    ];
    const { agent } = noting([{ name: 'n', text: () => 'Be brief.' }], [], { hooks });
    expect(await agent.run(go)).toMatchObject({ status: 'blocked' });
    expect(seen).toEqual([expect.stringContaining('Be brief.')]);
  });

  test('goes by the step, the limits, what is spent and the tools called last', async () => {
    const infos: NoteInfo[] = [];
    const note: Note = { name: 'n', text: (info) => void infos.push(info) };
    const prices = { scripted: { input: 10_000, output: 20_000 } };
    const limits = { steps: 9, thread: { tokens: 900 } };
    const { agent } = noting([note], [looks, 'done', 'again'], { prices, limits });
    await agent.run(go);
    await agent.run(go);
    const spent = (steps: number, calls: number) => ({
      steps,
      usage: { inputTokens: 10 * calls, outputTokens: 20 * calls },
      ...(calls > 0 && { cost: 0.5 * calls }),
      activeMs: expect.any(Number),
    });
    const at = { threadId: 't', limits: { steps: 9, thread: { tokens: 900 } } };
    expect(infos).toEqual([
      { ...at, turnId: '1', step: 1, turn: spent(1, 0), thread: spent(1, 0), lastTools: [] },
      { ...at, turnId: '1', step: 2, turn: spent(2, 1), thread: spent(2, 1), lastTools: ['look'] },
      { ...at, turnId: '2', step: 1, turn: spent(1, 0), thread: spent(3, 2), lastTools: [] },
    ]);
  });

  test('changes nothing through what it is given', async () => {
    const errors: unknown[] = [];
    const note: Note = {
      name: 'n',
      text: ({ limits, turn, lastTools }) => {
        for (const each of [limits, limits.thread, turn, turn.usage, lastTools])
          expect(Object.isFrozen(each)).toBe(true);
        errors.push('asked');
        return undefined;
      },
    };
    const mine = { steps: 9, thread: { steps: 9 } };
    const { agent } = noting([note], [looks, 'done'], { limits: mine });
    expect(await agent.run(go)).toMatchObject({ status: 'completed' });
    expect(errors).toHaveLength(2);
    expect(Object.isFrozen(mine.thread)).toBe(false);
  });

  const broken: readonly (readonly [string, Note['text'], string])[] = [
    [
      'throws',
      () => {
        throw new TypeError('canary');
      },
      'threw',
    ],
    ['gives a number', () => illegal(7), 'illegal'],
    ['gives null', () => illegal(null), 'illegal'],
    ['gives a promise', () => illegal(Promise.resolve('late')), 'illegal'],
    ['gives a promise that rejects', () => illegal(Promise.reject(new Error('x'))), 'illegal'],
  ];
  test.each(broken)(
    'that %s ends the turn before the model is called',
    async (_how, text, kind) => {
      const { agent, model, store } = noting([{ name: 'bad', text }], ['never']);
      const result = expectStatus(await agent.run(go), 'failed');
      expect(result.error).toMatchObject({
        code: 'hook-failed',
        policy: 'bad',
        point: 'notes',
        kind,
      });
      expect(result.error.message).not.toContain('canary');
      expect(model.calls).toBe(0);
      expect(await store.readMessages('t')).toEqual([]);
      const failed = (await store.readEvents('t')).filter(({ type }) => type === 'hook.failed');
      expect(failed).toMatchObject([{ policy: 'bad', point: 'notes', kind, open: false }]);
    },
  );

  test.each([
    ['a text', ['be brief']],
    ['null', [null]],
    ['no name', [{ text: () => '' }]],
    ['an empty name', [{ name: ' ', text: () => '' }]],
    ['no text', [{ name: 'n' }]],
    ['a name twice', [budgetNote(), budgetNote()]],
    ['no list', {}],
  ])('that is %s is refused when the agent is built', (_what, notes) => {
    expect(() => noting(notes as readonly Note[], [])).toThrow(
      expect.objectContaining({ code: 'invalid-option' }),
    );
  });

  test('added to the list later has no effect', async () => {
    const notes: Note[] = [];
    const { agent, model } = noting(notes, ['done']);
    notes.push({ name: 'late', text: () => 'late' });
    await agent.run(go);
    expect(model.requests[0]?.messages).toHaveLength(1);
  });
});

describe('toolHints', () => {
  test('tells of a tool in the request that brings its result, once', async () => {
    const hints = { look: 'Name what you saw.', other: 'no', constructor: 'no' };
    const { agent, model } = noting([toolHints(hints)], [looks, 'done', 'again']);
    await agent.run(go);
    await agent.run(go);
    const told = model.requests.map((request) => JSON.stringify(request).split('Name what').length);
    expect(told).toEqual([1, 2, 1]);
    expect(textOf(model.requests[1]?.messages.at(-1) ?? illegal(null))).toBe(
      `${HEAD}\nName what you saw.`,
    );
  });

  test('refuses a hint that is no text', () => {
    expect(() => toolHints(illegal({ look: 7 }))).toThrow(/hint for 'look'/);
  });
});

describe('budgetNote', () => {
  const told = async (more: object, script: readonly ScriptEntry[], note = budgetNote()) => {
    const { agent, model } = noting([note], script, more);
    await agent.run(go);
    return model.requests.map(({ messages }) => {
      const last = messages.at(-1);
      const text = last === undefined ? '' : textOf(last);
      return text.startsWith(HEAD) ? text.slice(HEAD.length + 1) : '';
    });
  };
  const script = [looks, looks, looks, looks, 'done'];

  test('speaks from four fifths of a limit on, and names the last step', async () => {
    expect(await told({ limits: { steps: 5 } }, script)).toEqual([
      '',
      '',
      '',
      'This is step 4 of at most 5 of this turn. Come to an end: give your answer as soon as you can.',
      'This is step 5 of at most 5 of this turn. This is the last step: give your answer now, a further call would not be run.',
    ]);
  });

  test('speaks of tokens, cost, time and the conversation', async () => {
    const prices = { scripted: { input: 10_000, output: 20_000 } };
    const thread = { tokens: 60, steps: 3 };
    const limits = { steps: 50, tokens: 90, cost: 1.5, wallTimeMs: 3_600_000, thread };
    const [, , third] = await told({ limits, prices }, [looks, looks, 'done']);
    expect(third).toBeUndefined();
    const half = budgetNote({ at: 0.5 });
    const [first, second] = await told({ limits, prices }, [looks, looks, 'done'], half);
    expect(first).toBe('');
    expect(second).toBe(
      'This is step 2 of at most 3 of this conversation. 30 of at most 60 tokens of this conversation are spent. Come to an end: give your answer as soon as you can.',
    );
  });

  test.each([0, -1, 1.1, Number.NaN, '0.5', null])('refuses %j as a share', (at) => {
    expect(() => budgetNote({ at: illegal(at) })).toThrow(
      expect.objectContaining({ code: 'invalid-option' }),
    );
  });
});
