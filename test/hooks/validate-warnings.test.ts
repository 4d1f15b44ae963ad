import { describe, expect, test } from 'vitest';
import { MessageDecision } from '../../src/decisions/message-decision.ts';
import { compose } from '../../src/hooks/compose.ts';
import { failOpen } from '../../src/hooks/fail-open.ts';
import { defineHooks } from '../../src/hooks/policy.ts';
import { shadow } from '../../src/hooks/shadow.ts';
import { type ValidateOptions, validateHooks } from '../../src/hooks/validate.ts';

const hook = (): undefined => undefined;
const found = (hooks: readonly unknown[], options: ValidateOptions = {}): readonly string[] =>
  validateHooks(hooks, options).map(
    ({ severity, code, member }) => `${severity} ${code} ${member}`,
  );

describe('open points', () => {
  const redactor = { name: 'redactor', onOutgoingMessage: () => MessageDecision.modify('x') };

  test('a redactor at a point that is open by default is a warning that says how to close it', () => {
    const [finding] = validateHooks([redactor]);
    expect(finding).toMatchObject({ severity: 'warning', code: 'open-point', index: 0 });
    expect(finding?.fix).toContain("onOutgoingMessage: { failure: 'closed' }");
  });

  test('a closed one is none', () => {
    const options = { onOutgoingMessage: { failure: 'closed' } };
    expect(found([{ ...redactor, options }])).toEqual([]);
  });

  test.each(['onUserMessage', 'preLlmRequest', 'onLlmResponse'])(
    '%s warns only when it was opened',
    (point) => {
      expect(found([{ [point]: hook }])).toEqual([]);
      const options = { [point]: { failure: 'open' } };
      expect(found([{ [point]: hook, options }])).toEqual([`warning open-point ${point}`]);
    },
  );

  test('a gate of tools that was opened is no filter, and results that nobody can take back are', () => {
    expect(found([{ preToolUse: hook, options: { preToolUse: { failure: 'open' } } }])).toEqual([]);
    expect(found([{ postToolUse: hook }])).toEqual(['warning open-point postToolUse']);
  });

  test('what `failOpen` opened is open, and a shadow guards nothing anyway', () => {
    const closed = defineHooks({ name: 'a', preLlmRequest: hook });
    expect(found([failOpen(closed)])).toEqual(['warning open-point preLlmRequest']);
    expect(found([shadow(defineHooks({ name: 'b', onOutgoingMessage: hook }))])).toEqual([]);
  });
});

describe('live streams', () => {
  test.each(['onLlmResponse', 'preToolUse'])(
    'M-135: %s beside a live stream is a warning',
    (point) => {
      expect(found([{ [point]: hook }], { streaming: 'live' })).toEqual([
        `warning stream-guard ${point}`,
      ]);
      expect(found([{ [point]: hook }], { streaming: 'hold' })).toEqual([]);
      expect(found([{ [point]: hook }])).toEqual([]);
    },
  );

  test('a policy that takes no text back is none', () => {
    expect(found([{ onUserMessage: hook, onEvent: hook }], { streaming: 'live' })).toEqual([]);
  });
});

describe('windows', () => {
  const windows = { streaming: 'window' } as const;
  const judge = defineHooks({ name: 'judge', onTextWindow: hook as never });

  test.each(['wrapLlmCall', 'onLlmResponse', 'onOutgoingMessage'])(
    '%s without onTextWindow is a warning beside a policy that has one',
    (point) => {
      const options = { [point]: { failure: 'closed' } };
      const late = { name: 'late', [point]: hook, options };
      expect(found([judge, late], windows)).toEqual([`warning stream-guard ${point}`]);
      expect(found([compose(judge, late as never)], windows)).toEqual([
        `warning stream-guard ${point}`,
      ]);
      expect(found([late, { name: 'other', preToolUse: hook }], windows)).toEqual([]);
      expect(found([judge, { ...late, onTextWindow: hook }], windows)).toEqual([]);
      expect(found([judge, late], { streaming: 'hold' })).toEqual([]);
      expect(found([judge, late])).toEqual([]);
    },
  );

  test('it names the policy and its points, and says what to do', () => {
    const late = { name: 'late', wrapLlmCall: hook, onLlmResponse: hook };
    const [finding] = validateHooks([judge, late], windows);
    expect(finding).toMatchObject({ where: "hooks[1] ('late')", index: 1 });
    expect(finding?.what).toContain("'wrapLlmCall', 'onLlmResponse'");
    expect(finding?.fix).toMatch(/`onTextWindow`.*'hold'/);
  });

  test('a gate of tools alone is none, nor is a policy on trial on either side', () => {
    expect(found([judge, { name: 'gate', preToolUse: hook }], windows)).toEqual([]);
    const late = defineHooks({ name: 'late', onLlmResponse: hook });
    expect(found([judge, shadow(late)], windows)).toEqual([]);
    expect(found([shadow(judge), late], windows)).toEqual([]);
  });
});

describe('strict rules', () => {
  const strict = { oneRewriterPerPoint: true };
  const a = defineHooks({ name: 'a', preToolUse: hook });
  const b = defineHooks({ name: 'b', preToolUse: hook, onLlmResponse: hook });

  test('M-7, M-8: a second policy at a point is an error that names both, under the strict rule only', () => {
    expect(found([a, b])).toEqual([]);
    const [finding, ...others] = validateHooks([a, b], {
      ...strict,
      places: ['hooks.ts', 'hooks/b.ts'],
    });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({
      severity: 'error',
      code: 'duplicate-rewriter',
      where: 'hooks.ts and hooks/b.ts',
      member: 'preToolUse',
      index: 1,
    });
  });

  test('M-8: policies that were composed count as one', () => {
    expect(found([compose(a, b)], strict)).toEqual([]);
  });

  test('M-9: any number of policies may watch', () => {
    const watch = (name: string) => defineHooks({ name, onEvent: hook });
    expect(found([watch('a'), watch('b'), watch('c')], strict)).toEqual([]);
  });

  test('a policy without a name is an error where names are required', () => {
    expect(found([{ preToolUse: hook }], { requireNames: true })).toEqual([
      'error unnamed-policy name',
    ]);
    expect(found([a], { requireNames: true })).toEqual([]);
  });
});
