import { describe, expect, test } from 'vitest';
import type { HookContext } from '../../src/hooks/context.ts';
import { defineHooks, Policy } from '../../src/hooks/policy.ts';
import { bench, illegal, NOW } from './make-gate.ts';

const start = { turnId: 'turn-1', isFirst: true };

/** Runs `use` in the onTurnStart of a policy of that name. */
const using = (use: (memory: HookContext['memory']) => unknown, name: string | undefined = 'a') => {
  const run = bench([
    defineHooks({
      ...(name !== '' && { name }),
      onTurnStart: (_turn, ctx) => void use(ctx.memory),
    }),
  ]);
  return { ...run, verdict: run.gate.turnStart(start, NOW) };
};

describe('memory of a policy', () => {
  test('is read back by the same policy, and by no other', async () => {
    const seen: unknown[] = [];
    const policy = (name: string) =>
      defineHooks({
        name,
        onTurnStart(_turn, { memory }) {
          seen.push(memory.get('count'));
          memory.set('count', Number(memory.get('count') ?? 0) + 1);
        },
      });
    const { gate, memory } = bench([policy('a'), policy('b')]);
    await gate.turnStart(start, NOW);
    await gate.turnStart(start, NOW);
    expect(seen).toEqual([undefined, undefined, 1, 1]);
    expect(Object.fromEntries(memory)).toEqual({ a: { count: 2 }, b: { count: 2 } });
  });

  test('keeps false, 0, empty texts and null as they are', async () => {
    const { memory } = using((own) => own.set('all', { f: false, n: 0, s: '', x: null }));
    expect(memory.get('a')).toEqual({ all: { f: false, n: 0, s: '', x: null } });
  });

  test('holds frozen copies', async () => {
    const list = [{ n: 1 }];
    let read: unknown;
    const { memory } = using((own) => {
      own.set('list', list);
      read = own.get('list');
    });
    list.push({ n: 2 });
    expect(memory.get('a')).toEqual({ list: [{ n: 1 }] });
    expect(Object.isFrozen(read)).toBe(true);
    expect(Object.isFrozen(illegal(Array.isArray(read) ? read[0] : read))).toBe(true);
  });

  test('forgets what is deleted, and writes nothing when there was nothing', () => {
    const { memory } = using((own) => {
      own.set('a', 1);
      own.set('b', 2);
      own.delete('a');
    });
    expect(memory.get('a')).toEqual({ b: 2 });
    expect(using((own) => own.delete('none')).memory.size).toBe(0);
  });

  test('has no key that it was not given', () => {
    const { memory } = using((own) => own.set('seen', String(own.get('constructor'))));
    expect(memory.get('a')).toEqual({ seen: 'undefined' });
  });

  test.each([
    ['a date', 'k', new Date(0)],
    ['a function', 'k', () => 1],
    ['nothing', 'k', undefined],
    ['NaN', 'k', Number.NaN],
    ['the key __proto__', '__proto__', { isAdmin: true }],
    ['an empty key', '', 1],
  ])('refuses %s, and the policy has failed even if it caught that', (_what, key, value) => {
    const set = (own: HookContext['memory']) => own.set(key, illegal(value));
    const caught = (own: HookContext['memory']) => {
      try {
        set(own);
      } catch {
        return;
      }
    };
    for (const use of [set, caught]) {
      const { verdict, memory } = using(use);
      expect(verdict).toMatchObject({ type: 'failed', error: { kind: 'illegal' } });
      expect(memory.size).toBe(0);
    }
  });

  test('needs an explicit name: neither a place nor a class is one', () => {
    class Counts extends Policy {
      override onTurnStart(_turn: unknown, { memory }: HookContext): void {
        memory.get('x');
      }
    }
    const verdicts = [
      using((own) => own.get('x'), '').verdict,
      bench([new Counts()]).gate.turnStart(start, NOW),
    ];
    for (const verdict of verdicts) {
      expect(verdict).toMatchObject({ type: 'failed', error: { kind: 'illegal' } });
      expect(verdict).toHaveProperty(
        'error.message',
        expect.stringContaining('Give the policy a `name`'),
      );
    }
  });

  test('cannot be written once the hook has answered', async () => {
    let later: HookContext['memory'] | undefined;
    const { memory } = using((own) => {
      later = own;
    });
    expect(() => later?.set('k', 1)).toThrow('after the hook had answered');
    expect(memory.size).toBe(0);
  });
});
