import { createAgent, hostTool, scriptedModel, type ToolPort, tool } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { givesJson } from '../../src/tools/output-port.ts';
import { callPay } from './desk.ts';

/** Frozen, and none of it is JSON, or no JSON that may be kept. */
function outputs(): readonly (readonly [string, unknown, unknown])[] {
  const cycle: Record<string, unknown> = { id: 1 };
  cycle['self'] = cycle;
  const list: unknown[] = [1n];
  return [
    ['a Date', Object.freeze({ at: new Date(0) }), { at: '1970-01-01T00:00:00.000Z' }],
    ['a BigInt', Object.freeze({ euros: 5n }), { euros: '5' }],
    ['a cycle', Object.freeze(cycle), { id: 1, self: '[circular]' }],
    ['a function', Object.freeze({ go: () => 1 }), { go: '[function go]' }],
    ['a list that is not frozen', Object.freeze({ list }), { list: ['1'] }],
    ['nothing but a BigInt', 5n, '5'],
    ['no number', Number.NaN, 'NaN'],
    ['half a character', '\ud800', '\ufffd'],
    ['nothing', undefined, null],
  ];
}

const declared = {
  name: 'pay',
  description: 'Pays',
  inputSchema: z.object({ euros: z.number() }),
  sideEffects: 'once',
  tier: 'auto',
} as const;

/** Runs the tool once and gives its result as the history holds it. */
async function resultOf(pay: ToolPort): Promise<unknown> {
  const model = scriptedModel([{ toolCalls: [callPay(5)] }, 'done']);
  const agent = createAgent({ name: 'a', model, tools: [pay], keepDiscarded: true });
  const result = await agent.run({ message: 'go' });
  expect(result).toMatchObject({ status: 'completed', text: 'done' });
  const answer = result.messages[2];
  return answer?.role === 'tool' ? answer.content[0]?.output : expect.unreachable();
}

describe('a frozen output of a tool that somebody made by hand', () => {
  const made = tool({ ...declared, execute: () => 1 });

  test.each(outputs())('becomes JSON where it holds %s', async (_name, output, json) => {
    const given = output as never; // not what the port asks for, and only its maker knows
    expect(await resultOf({ ...made, run: () => given })).toEqual(json);
    expect(await resultOf({ ...made, run: async () => given })).toEqual(json);
  });

  // Of a rule, nothing lets the tool run; a host has to give something.
  const something = outputs().filter(([name]) => name !== 'nothing');

  test.each(something)(
    'becomes JSON where a rule gives it with %s',
    async (_name, output, json) => {
      const given = output as never;
      expect(await resultOf({ ...made, precheck: () => given })).toEqual(json);
    },
  );

  test.each(something)(
    'becomes JSON where a host gives it with %s',
    async (_name, output, json) => {
      const host = hostTool(declared);
      const pay: ToolPort = { ...host, readResult: (given) => given as never };
      const model = scriptedModel([{ toolCalls: [callPay(5)] }, 'done']);
      const agent = createAgent({ name: 'a', model, tools: [pay] });
      const waiting = await agent.run({ threadId: 't', message: 'go' });
      const [call] = waiting.status === 'awaiting-tools' ? waiting.calls : [];
      const { callId, idempotencyKey } = call ?? expect.unreachable();
      const results = [{ callId, idempotencyKey, output: output as never }];
      const result = await agent.submitToolResults({ threadId: 't', results });
      expect(result).toMatchObject({ status: 'completed' });
      const answer = result.messages[2];
      expect(answer?.role === 'tool' && answer.content[0]?.output).toEqual(json);
    },
  );

  /** What somebody may put around the function of a declared tool, to count or to log its calls. */
  const wrappers: readonly (readonly [
    string,
    (run: ToolPort['run'], own: () => never) => unknown,
  ])[] = [
    ['a proxy of it', (run, own) => new Proxy(run, { apply: own })],
    ['one that inherits from it', (run, own) => Object.setPrototypeOf(own, run)],
    [
      'one that has its members',
      (run, own) =>
        Object.defineProperties(own, withoutLength(Object.getOwnPropertyDescriptors(run))),
    ],
  ];

  test.each(wrappers)('becomes JSON also where its function is %s', async (_how, wrap) => {
    const given = Object.freeze({ at: new Date(0), euros: 5n });
    const run = wrap(made.run, () => given as never) as ToolPort['run'];
    expect(await resultOf({ ...made, run })).toEqual({
      at: '1970-01-01T00:00:00.000Z',
      euros: '5',
    });
  });

  test('is taken as it is where the tool was declared, and from a copy of it', () => {
    const copy = { ...made, displayName: 'Pay' };
    expect(givesJson(copy.run)).toBe(true);
    expect(givesJson(made.run.bind(made))).toBe(false);
  });
});

/** Neither can be given to another function. */
function withoutLength({ length: _length, name: _name, ...others }: PropertyDescriptorMap) {
  return others;
}
