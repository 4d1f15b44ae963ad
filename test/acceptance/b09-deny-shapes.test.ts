import { describe, expect, test } from 'vitest';
import { defineHooks, HookError, scriptedModel, ToolDecision } from '../../src/index.ts';
import { counted, expectStatus, illegal, MODES, play } from './play.ts';
import { expectSound, resultsIn } from './traces.ts';

const SHAPES: readonly (readonly [string, unknown])[] = [
  ['a word', 'deny'],
  ['another word', 'block'],
  ['an empty text', ''],
  ['true', true],
  ['false', false],
  ['null', null],
  ['a number', 0],
  ['a list', [{ type: 'block', reason: 'no' }]],
  ['a nested decision', { decision: { type: 'block', reason: 'no' } }],
  ['a hook output', { hookSpecificOutput: { permissionDecision: 'deny' } }],
  ['an unknown type', { type: 'deny', reason: 'no' }],
  ['an upper-case type', { type: 'Block', reason: 'no' }],
  ['a type with a space', { type: 'block ', reason: 'no' }],
  ['no type', { reason: 'no' }],
  ['a block without a reason', { type: 'block' }],
  ['a block with an empty reason', { type: 'block', reason: '' }],
  ['a block with one key too many', { type: 'block', reason: 'no', force: true }],
  ['an allow with one key too many', { type: 'allow', unless: 'large' }],
  ['a decision of another point', { type: 'proceed' }],
  ['a promise of a word', Promise.resolve('deny')],
  ['an error that is returned', new Error('deny')],
  [
    'a class instance',
    new (class Deny {
      readonly type = 'block';
      readonly reason = 'no';
    })(),
  ],
];

describe.each(MODES)('%s', (mode) => {
  test.each(SHAPES)('B09: %s is a hook failure, never an allow', async (_name, answer) => {
    const charge = counted('charge');
    const guard = defineHooks({ name: 'guard', preToolUse: () => illegal(answer) });
    const played = await play(mode, {
      model: scriptedModel([{ toolCalls: [{ name: 'charge' }] }, 'done']),
      tools: [charge.tool],
      hooks: [guard],
    });
    expect(charge.inputs).toEqual([]);
    const { error } = expectStatus(played.result, 'failed');
    expect(error).toBeInstanceOf(HookError);
    expect(error).toMatchObject({ policy: 'guard', point: 'preToolUse', kind: 'illegal' });
    await expectSound(played);
  });

  test('B09: the documented shape blocks, written by hand or read from JSON', async () => {
    const charge = counted('charge');
    const shapes = [
      ToolDecision.block('no'),
      { type: 'block', reason: 'no' } as const,
      illegal(JSON.parse('{"reason":"no","type":"block"}')),
    ];
    for (const shape of shapes) {
      const guard = defineHooks({ name: 'guard', preToolUse: () => shape });
      const played = await play(mode, {
        model: scriptedModel([{ toolCalls: [{ name: 'charge' }] }, 'done']),
        tools: [charge.tool],
        hooks: [guard],
      });
      expectStatus(played.result, 'completed');
      expect(resultsIn(await played.store.readMessages('t'))).toEqual({
        '1.1.0': { outcome: 'blocked', output: 'Blocked: no' },
      });
    }
    expect(charge.inputs).toEqual([]);
  });

  test('B09, without the guard: the tool runs', async () => {
    const charge = counted('charge');
    const played = await play(mode, {
      model: scriptedModel([{ toolCalls: [{ name: 'charge' }] }, 'done']),
      tools: [charge.tool],
      hooks: [defineHooks({ name: 'guard', preToolUse: () => undefined })],
    });
    expectStatus(played.result, 'completed');
    expect(charge.inputs).toHaveLength(1);
  });
});
