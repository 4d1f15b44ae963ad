import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../../src/errors/config-error.ts';
import type { AgentHooks } from '../../../src/hooks/agent-hooks.ts';
import { compileHooks } from '../../../src/hooks/compile.ts';
import { compose } from '../../../src/hooks/compose.ts';
import { failOpen } from '../../../src/hooks/fail-open.ts';
import { forTools } from '../../../src/hooks/for-tools.ts';
import { parallel } from '../../../src/hooks/parallel.ts';
import { HOOK_POINTS } from '../../../src/hooks/points.ts';
import { defineHooks, Policy } from '../../../src/hooks/policy.ts';
import { shadow } from '../../../src/hooks/shadow.ts';
import { when } from '../../../src/hooks/when.ts';
import { withTimeout } from '../../../src/hooks/with-timeout.ts';
import { asIs, bench, illegal, NOW, response } from '../make-gate.ts';

const hook = (): undefined => undefined;

const COMBINATORS: readonly (readonly [name: string, combine: (one: AgentHooks) => AgentHooks])[] =
  [
    ['compose', (one) => compose(one)],
    ['parallel', (one) => parallel(one)],
    ['when', (one) => when(() => true, one)],
    ['forTools', (one) => forTools(['*'], one)],
    ['shadow', (one) => shadow(one)],
    ['failOpen', (one) => failOpen(one)],
    ['withTimeout', (one) => withTimeout(one, 100)],
  ];

const refusal = (build: () => unknown): ConfigError => {
  try {
    build();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('it was not refused');
};

const namesOf = (...hooks: readonly AgentHooks[]) => compileHooks(hooks, 'default').policies;

class Guard extends Policy {
  override preToolUse = hook;
}

describe.each(COMBINATORS)('%s', (_name, combine) => {
  test('U-AB1: has just the methods of the policy in it, and so leaves the other points free', () => {
    class Watches extends Policy {
      override preToolUse(): undefined {}
      override onEvent(): void {}
    }
    const combined = combine(new Watches());
    const points = HOOK_POINTS.filter((point) => typeof combined[point] === 'function');
    expect(points).toEqual(['preToolUse', 'onEvent']);
    const { gate } = bench([combined]);
    expect(HOOK_POINTS.filter((point) => gate.has(point))).toEqual(points);
  });

  test('shows what can be read off the policy in it', () => {
    const combined = combine(
      defineHooks({
        name: 'a',
        version: '2',
        order: 'last',
        events: ['tool.*'],
        options: { preToolUse: { mustDecide: true } },
        preToolUse: hook,
      }),
    );
    expect(combined).toMatchObject({
      name: 'a',
      version: '2',
      order: 'last',
      events: ['tool.*'],
      options: { preToolUse: { mustDecide: true } },
    });
    expect(Object.isFrozen(combined)).toBe(true);
  });

  test('keeps the name of the policy, that of a class included', () => {
    expect(namesOf(combine(new Guard()))).toEqual(['Guard']);
    expect(namesOf(combine({ name: 'a', preToolUse: hook }))).toEqual(['a']);
  });

  test('U-AB4: refuses what hooks in nowhere, where it is written', () => {
    for (const nothing of [undefined, null, 'a', {}, { name: 'a' }, [{ preToolUse: hook }]]) {
      expect(refusal(() => combine(illegal(nothing)))).toMatchObject({ code: 'no-hooks' });
    }
  });

  test('U-AB9: refuses a misspelled method, and names the nearest', () => {
    const error = refusal(() => combine(illegal({ preToolUse: hook, preToolUes: hook })));
    expect(error.code).toBe('unknown-hook');
    expect(error.message).toContain("'preToolUse'");
    // There is one, so it has no number.
    expect(error.message).toContain(`${_name}: the policy`);
  });

  test('refuses bad options of the policy', () => {
    const bad = { preToolUse: hook, options: { preToolUse: { timeoutMs: 0 } } };
    expect(refusal(() => combine(bad))).toMatchObject({ code: 'invalid-option' });
  });

  test('a copy of it is refused, as what is changed in it would have no effect', () => {
    const combined = combine({ name: 'a', onOutgoingMessage: hook, preToolUse: hook });
    for (const copy of [
      { ...combined, name: 'b' },
      Object.create(combined),
      new Proxy(combined, {}),
    ]) {
      expect(refusal(() => compileHooks([copy], 'default')).message).toContain('copy');
      expect(refusal(() => compose(copy)).message).toContain('copy');
    }
  });

  test('calling its methods by hand is an error, and never an answer', () => {
    const combined = combine({ name: 'a', preToolUse: hook });
    const byHand = defineHooks({
      name: 'b',
      preToolUse: (...args) => combined.preToolUse?.(...args),
    });
    expect(refusal(() => combined.preToolUse?.(illegal({}), illegal({}))).code).toBe(
      'invalid-input',
    );
    expect(refusal(() => byHand.preToolUse?.(illegal({}), illegal({}))).message).toContain(
      'by hand',
    );
  });
});

describe('the names of combined policies', () => {
  const named = (name: string) => defineHooks({ name, preToolUse: hook });

  test('U-AB5: instances, literals and other groups go into one group, flat and in order', () => {
    const group = compose(
      new Guard(),
      named('a'),
      compose('g', named('a'), parallel('h', named('a'))),
    );
    expect(namesOf(group, named('b'))).toEqual(['Guard', 'a', 'g/a', 'g/h/a', 'b']);
    expect(compose('g', named('a'), named('b')).name).toBe('g');
    expect(compose('g', compose('h', named('a'))).name).toBe('g/h/a');
    expect(compose(named('a'), named('b')).name).toBeUndefined();
  });

  test('a place counts every policy, as if none were in a group', () => {
    const nameless = () => defineHooks({ preToolUse: hook });
    expect(namesOf(nameless(), compose(nameless(), nameless()), nameless())).toEqual([
      'policy-1',
      'policy-2',
      'policy-3',
      'policy-4',
    ]);
  });

  test('two of one name are refused wherever they stand, unless their groups tell them apart', () => {
    const twice = [
      () => compose(named('a'), named('a')),
      () => compileHooks([compose(named('a')), shadow(named('a'))], 'default'),
      () => compileHooks([compose('g', named('a')), named('g/a')], 'default'),
    ];
    for (const build of twice) expect(refusal(build).code).toBe('duplicate-policy');
    expect(namesOf(named('a'), compose('trial', shadow(named('a'))))).toEqual(['a', 'trial/a']);
  });

  test('of several the one that is refused is told by its number', () => {
    const wrong = illegal({ preToolUes: hook });
    expect(refusal(() => compose(named('a'), wrong)).message).toContain('compose: policy 2');
  });

  test('an empty group and an empty name are refused', () => {
    expect(refusal(() => compose()).code).toBe('no-hooks');
    expect(refusal(() => parallel('g')).code).toBe('no-hooks');
    expect(refusal(() => compose(' ', named('a'))).code).toBe('invalid-option');
  });

  test('M-8: guards of two sources at one point hold together once they are composed', async () => {
    const guard = (name: string) => defineHooks({ name, onLlmResponse: hook });
    const { gate } = bench([compose('sources', guard('a'), guard('b'))]);
    expect(
      await gate.response(response([]), { newCallId: () => 'new', moment: NOW }, asIs),
    ).toMatchObject({ type: 'pass' });
    expect(namesOf(compose('sources', guard('a'), guard('b')))).toEqual(['sources/a', 'sources/b']);
  });
});
