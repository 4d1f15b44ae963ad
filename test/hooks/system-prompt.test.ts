import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../src/errors/config-error.ts';
import type { AgentHooks } from '../../src/hooks/agent-hooks.ts';
import { compileHooks } from '../../src/hooks/compile.ts';
import { defineHooks, Policy } from '../../src/hooks/policy.ts';
import { when } from '../../src/hooks/when.ts';
import type { PromptInfo, Purpose } from '../../src/protocol/texts.ts';
import { bench, illegal, NOW } from './make-gate.ts';

const adds = (name: string): AgentHooks =>
  defineHooks({ name, systemPrompt: (prompt) => `${prompt}${name}` });

const failing: readonly (readonly [string, string, () => unknown])[] = [
  [
    'throws',
    'threw',
    () => {
      throw new TypeError('secret');
    },
  ],
  ['gives null', 'illegal', () => null],
  ['gives a number', 'illegal', () => 1],
  ['gives a text object', 'illegal', () => new String('x')],
  ['gives a promise', 'illegal', () => Promise.resolve('x')],
  ['gives a promise that rejects', 'illegal', () => Promise.reject(new Error('later'))],
  // biome-ignore lint/suspicious/noThenProperty: a thenable of another kind than a promise
  ['gives another thenable', 'illegal', () => ({ then: () => undefined })],
];

const failingHooks = (answer: () => unknown, failure: 'closed' | 'open'): AgentHooks => ({
  name: 'fails',
  options: { systemPrompt: { failure } },
  systemPrompt: () => illegal(answer()),
});

describe('systemPrompt — a chain', () => {
  test('U-Y1: each builds on the one before, in order', () => {
    const { gate } = bench([adds('b'), { ...adds('z'), order: 'last' }, adds('c')]);
    const verdict = gate.systemPrompt('a', NOW);
    expect(verdict).toEqual({ type: 'pass', value: 'abcz', modified: true });
  });

  test('U-Y4: returning nothing keeps the prompt for the next', () => {
    const none = defineHooks({ name: 'none', systemPrompt: () => undefined });
    const run = bench([adds('b'), none, adds('c')]);
    expect(run.gate.systemPrompt('a', NOW)).toMatchObject({ value: 'abc' });
    expect(run.decided()).toEqual(['b modify', 'c modify']);
  });

  test('U-X1: the text reaches the hook with its placeholders unfilled, and is given back as it is', () => {
    const seen: string[] = [];
    const reads = defineHooks({
      name: 'reads',
      systemPrompt(prompt) {
        seen.push(prompt);
        return prompt;
      },
    });
    const run = bench([reads]);
    const verdict = run.gate.systemPrompt('Hi {{name}}', NOW);
    expect(verdict).toEqual({ type: 'pass', value: 'Hi {{name}}', modified: false });
    expect(seen).toEqual(['Hi {{name}}']);
    expect(run.recorded).toEqual([]);
  });

  test('U-X2: info says for which request the prompt is, and where in the turn', () => {
    const seen: PromptInfo[] = [];
    const { gate } = bench([
      { name: 'p', systemPrompt: (prompt, info) => (seen.push(info), prompt) },
    ]);
    const sites: readonly Purpose[] = ['main', 'compaction', 'judge', 'output'];
    for (const purpose of sites) gate.systemPrompt('', { step: 3, attempt: 1, purpose });
    expect(seen.map(({ site }) => site)).toEqual(sites);
    expect(seen[0]).toEqual({
      site: 'main',
      model: 'test-model',
      threadId: 'thread-1',
      turnId: 'turn-1',
      step: 3,
    });
    expect(seen.every((info) => Object.isFrozen(info))).toBe(true);
  });

  test('U-X3: info names the model that will read it, or unknown', () => {
    const seen: string[] = [];
    const { gate } = bench([
      { name: 'p', systemPrompt: (prompt, { model }) => (seen.push(model), prompt) },
    ]);
    gate.systemPrompt('', NOW);
    gate.systemPrompt('', NOW, 'summariser');
    gate.systemPrompt('', NOW, '');
    expect(seen).toEqual(['test-model', 'summariser', 'unknown']);
  });

  test('U-AB8: a method keeps its `this`', () => {
    class Counts extends Policy {
      count = 0;
      override systemPrompt(prompt: string): string {
        this.count += 1;
        return `${prompt}${this.count}`;
      }
    }
    const { gate } = bench([new Counts()]);
    gate.systemPrompt('', NOW);
    expect(gate.systemPrompt('', NOW)).toMatchObject({ value: '2' });
  });

  test('half of a character is no part of a prompt', () => {
    const { gate } = bench([{ name: 'half', systemPrompt: () => 'a\ud800' }]);
    expect(gate.systemPrompt('', NOW)).toMatchObject({ value: 'a\ufffd' });
  });

  test('a change is recorded once, with the digest of what was changed and not the text', () => {
    const run = bench([adds('secret'), defineHooks({ name: 'same', systemPrompt: (p) => p })]);
    run.gate.systemPrompt('a', NOW);
    expect(run.recorded).toMatchObject([
      { type: 'hook.decided', policy: 'secret', point: 'systemPrompt', decision: 'modify' },
    ]);
    expect(run.digested).toEqual(['a']);
    expect(JSON.stringify(run.recorded)).not.toContain('asecret');
  });
});

describe('systemPrompt — a failure', () => {
  test.each(failing)('U-Z9: one that %s fails the request', async (_what, kind, answer) => {
    const run = bench([failingHooks(answer, 'closed'), adds('c')]);
    const verdict = run.gate.systemPrompt('a', NOW);
    expect(verdict).toMatchObject({ type: 'failed', error: { policy: 'fails', kind } });
    expect(run.failures()).toMatchObject([{ point: 'systemPrompt', kind, open: false }]);
    expect(run.decided()).toEqual([]);
    expect(JSON.stringify(run.recorded)).not.toContain('secret');
    await Promise.resolve();
  });

  test.each(failing)(
    'one that %s keeps the prompt so far where it is open',
    (_what, kind, answer) => {
      const run = bench([adds('b'), failingHooks(answer, 'open'), adds('c')]);
      expect(run.gate.systemPrompt('a', NOW)).toMatchObject({ type: 'pass', value: 'abc' });
      expect(run.failures()).toMatchObject([{ kind, open: true }]);
    },
  );

  test('U-X13: a promise is told of at run time, and its rejection is recorded as late', async () => {
    const run = bench([failingHooks(() => Promise.reject(new RangeError('x')), 'closed')]);
    const verdict = run.gate.systemPrompt('a', NOW);
    expect(verdict).toMatchObject({ type: 'failed' });
    expect(verdict.type === 'failed' && verdict.error.message).toContain('preLlmRequest');
    await new Promise(setImmediate);
    expect(run.failures()).toMatchObject([{}, { late: true, errorName: 'RangeError' }]);
  });

  test('after a cancel nobody is asked, and no answer counts', () => {
    const before = bench([adds('b')]);
    before.cancel.cancel();
    expect(before.gate.systemPrompt('a', NOW)).toEqual({ type: 'cancelled' });
    const last = bench([
      { name: 'stops', systemPrompt: (prompt) => (last.cancel.cancel(), prompt) },
    ]);
    expect(last.gate.systemPrompt('a', NOW)).toEqual({ type: 'cancelled' });
    const during = bench([
      { name: 'stops', systemPrompt: (prompt) => (during.cancel.cancel(), prompt) },
      adds('c'),
    ]);
    expect(during.gate.systemPrompt('a', NOW)).toEqual({ type: 'cancelled' });
    expect(during.decided()).toEqual([]);
  });
});

describe('systemPrompt — building', () => {
  test('U-AI7, U-X13: an async one is refused, and told where slow work belongs', () => {
    const build = (): unknown =>
      compileHooks([illegal({ name: 'p', systemPrompt: async () => 'x' })], 'default');
    expect(build).toThrow(ConfigError);
    expect(build).toThrow(/async `systemPrompt`.*`preLlmRequest`/);
  });

  test('a condition is refused for it, as there is no context to look at', () => {
    expect(() => when(() => true, adds('b'))).toThrow(/systemPrompt.*no `ctx`/);
  });
});
