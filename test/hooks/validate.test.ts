import { describe, expect, test } from 'vitest';
import { createAgent } from '../../src/agent/create-agent.ts';
import { ConfigError } from '../../src/errors/config-error.ts';
import { HOOK_POINTS, POINTS } from '../../src/hooks/points.ts';
import { defineHooks, Policy } from '../../src/hooks/policy.ts';
import { validateHooks } from '../../src/hooks/validate.ts';
import { scriptedModel } from '../../src/models/scripted.ts';

const hook = (): undefined => undefined;
const codes = (...hooks: readonly unknown[]): readonly string[] =>
  validateHooks(hooks).map(({ severity, code }) => `${severity} ${code}`);

class Gate extends Policy {
  override preToolUse(): undefined {}
}

/** Each is one mistake, and the code it has wherever it is found. */
const MISTAKES: readonly (readonly [what: string, policy: unknown, code: string])[] = [
  ['a misspelled hook', { onEvent: hook, preTooluse: hook }, 'unknown-hook'],
  ['only a misspelled hook', { preTooluse: hook }, 'unknown-hook'],
  ['a hook that is no function', { onEvent: hook, preToolUse: true }, 'invalid-option'],
  ['an object without hooks', { name: 'a' }, 'no-hooks'],
  ['nothing', undefined, 'no-hooks'],
  ['a promise', Promise.resolve({ preToolUse: hook }), 'no-hooks'],
  ['a class', Gate, 'uncalled-factory'],
  ['an uncalled factory', () => new Gate(), 'uncalled-factory'],
  ['a class as a hook', { preToolUse: Gate }, 'uncalled-factory'],
  ['`defineHooks` as a hook', { preToolUse: defineHooks }, 'uncalled-factory'],
  ['a hook of three arguments', { preToolUse: (_a: 1, _b: 2, _c: 3) => _c }, 'wrong-arity'],
  [
    'an unknown option',
    { preToolUse: hook, options: { preToolUse: { timeout: 5 } } },
    'unknown-option',
  ],
  ...[
    ['onEvent', { failure: 'closed' }],
    ['preToolUse', { failure: 'ajar' }],
    ['onEvent', { mustDecide: true }],
    ['preToolUse', { mustDecide: 'yes' }],
    ['preToolUse', { timeoutMs: 0 }],
  ].map(
    ([point, option]) =>
      [
        `${JSON.stringify(option)} at ${point}`,
        { [`${point}`]: hook, options: { [`${point}`]: option } },
        'invalid-option',
      ] as const,
  ),
  ['an event that there is not', { onEvent: hook, events: ['tools.*'] }, 'invalid-pattern'],
  ...HOOK_POINTS.filter((point) => !POINTS[point].enforced).map(
    (point) => [`'${point}', which nobody asks`, { [point]: hook }, 'not-enforced'] as const,
  ),
  ['a name of the engine', { name: 'tier', preToolUse: hook }, 'invalid-option'],
  [
    'a member that throws',
    {
      get preToolUse() {
        throw new Error('boom');
      },
    },
    'unreadable-policy',
  ],
];

describe('validateHooks — one mistake', () => {
  test.each(MISTAKES)('%s is one finding', (_what, policy, code) => {
    expect(codes(policy)).toEqual([`error ${code}`]);
  });

  test.each(MISTAKES)('%s: it is said where it is, what it is and what to do', (_what, policy) => {
    for (const { where, what, fix } of validateHooks([policy])) {
      expect(where).toMatch(/^hooks\[0\]/);
      expect(what).toMatch(/\w+ \w+/);
      expect(fix).toMatch(/^[A-Z]\w+ \S+/);
    }
  });

  test.each(MISTAKES)(
    'M-15: %s is refused by createAgent under the same code',
    (_what, policy, code) => {
      const hooks = [policy] as never;
      expect(() => createAgent({ name: 'a', model: scriptedModel([]), hooks })).toThrow(
        expect.objectContaining({ name: 'ConfigError', code }),
      );
    },
  );

  test.each([0, -1, Number.NaN, '5', 2 ** 31])(
    'M-18: a time limit of %s is a finding',
    (timeoutMs) => {
      const [finding, ...others] = validateHooks([
        { preToolUse: hook, options: { preToolUse: { timeoutMs } } },
      ]);
      expect(others).toEqual([]);
      expect(finding).toMatchObject({
        severity: 'error',
        code: 'invalid-option',
        where: 'hooks[0].options.preToolUse.timeoutMs',
        member: 'options',
        index: 0,
      });
    },
  );

  test.each([
    ['modifyModleRequest', 'preLlmRequest'],
    ['modifyToolCall', 'preToolUse'],
    ['modifyTurnStarted', 'onTurnStart'],
    ['beforeTool', 'preToolUse'],
    ['beforeModel', 'preLlmRequest'],
    ['preLlmRequset', 'preLlmRequest'],
  ])('M-11, M-12: %s names %s', (wrong, right) => {
    const [finding] = validateHooks([{ onEvent: hook, [wrong]: hook }]);
    expect(finding).toMatchObject({ code: 'unknown-hook', member: wrong });
    expect(finding?.fix).toContain(`'${right}'`);
  });

  test('M-13: no parameters, two, and more with defaults are all fine', () => {
    const some = (_call: unknown, _ctx: unknown, _extra = 1): undefined => undefined;
    const rest = (..._all: readonly unknown[]): undefined => undefined;
    expect(codes({ name: 'a', preToolUse: hook }, { name: 'b', preToolUse: some })).toEqual([]);
    expect(codes({ preToolUse: rest })).toEqual([]);
  });

  test('options that are left out in so many words are none', () => {
    expect(codes({ preToolUse: hook, options: undefined })).toEqual([]);
    expect(codes({ preToolUse: hook, options: { preToolUse: undefined } })).toEqual([]);
    const none = { timeoutMs: undefined, failure: undefined, mustDecide: undefined };
    expect(codes({ preToolUse: hook, options: { preToolUse: none } })).toEqual([]);
  });

  test('M-10: a synchronous hook is as good as an asynchronous one', () => {
    expect(codes({ preToolUse: hook, preLlmRequest: async () => undefined })).toEqual([]);
  });
});

describe('validateHooks — several mistakes', () => {
  test('are all found at once, in the order of the list, and the first is the one createAgent throws', () => {
    const hooks = [
      {
        onEvent: hook,
        preTooluse: hook,
        options: { preToolUse: { timeoutMs: 0, failure: 'shut' } },
      },
      undefined,
      { name: 'same', preToolUse: hook },
      { name: 'same', order: 'middle', preToolUse: hook },
    ];
    const found = validateHooks(hooks);
    expect(found.map(({ code, index }) => [code, index])).toEqual([
      ['unknown-hook', 0],
      ['invalid-option', 0],
      ['invalid-option', 0],
      ['no-hooks', 1],
      ['invalid-option', 3],
      ['duplicate-policy', 3],
    ]);
    expect(() =>
      createAgent({ name: 'a', model: scriptedModel([]), hooks: hooks as never }),
    ).toThrow(
      expect.objectContaining({
        code: found[0]?.code,
        message: expect.stringContaining(found[0]?.what ?? ''),
      }),
    );
  });

  test('are frozen JSON', () => {
    const found = validateHooks([{ preTooluse: hook }, Gate]);
    expect(JSON.parse(JSON.stringify(found))).toEqual(found);
    expect([found, ...found].every((part) => Object.isFrozen(part))).toBe(true);
  });

  test('a hole in the list counts', () => {
    // biome-ignore lint/suspicious/noSparseArray: the mistake itself
    expect(codes(...[new Gate(), , new Gate()])).toEqual([
      'error no-hooks',
      'error duplicate-policy',
    ]);
  });

  test('something else than a list is one finding', () => {
    expect(validateHooks({ preToolUse: hook }).map(({ code }) => code)).toEqual(['invalid-option']);
  });

  test('places name the policies in what is said', () => {
    const [finding] = validateHooks([Gate], { places: ['hooks/gate.ts'] });
    expect(finding?.where).toBe('hooks/gate.ts');
  });
});

describe('validateHooks — messages to keep', () => {
  test('U-AI5: a pattern that matches nothing lists every event', () => {
    const [finding] = validateHooks([{ onEvent: hook, events: ['tools.*'] }]);
    expect(finding?.fix).toContain("Did you mean 'tool.*'?");
    expect(finding?.fix).toContain('turn.started');
    expect(finding?.fix).toContain('thread.ended');
  });

  test('U-AI6: a policy that hooks in nowhere is told the points, onEvent among them', () => {
    const [finding] = validateHooks([{ name: 'nowhere' }]);
    expect(finding?.fix).toMatch(/preToolUse.*onEvent/);
  });

  test.each([
    ['is a promise, not a policy', 'Await it', Promise.resolve({ preToolUse: hook })],
    ['is a class, not a policy', 'new MyPolicy()', Gate],
    ['is a function or a class', 'Call it', () => new Gate()],
    ["'preToolUse' that is a class", 'method', { preToolUse: Gate }],
    ["'preToolUse' that is `defineHooks`", 'method', { preToolUse: defineHooks }],
  ])('what %s is told so, and to do something: %s', (what, fix, policy) => {
    const [finding] = validateHooks([policy]);
    expect(finding?.what).toContain(what);
    expect(finding?.fix).toContain(fix);
  });

  test('U-AI7: an async system prompt is told where to do slow work', () => {
    const found = validateHooks([{ preToolUse: hook, systemPrompt: async () => 'x' }]);
    expect(found[0]?.what).toContain('async');
    expect(found[0]?.fix).toContain('preLlmRequest');
  });
});

describe('validateHooks — its own options', () => {
  test.each([{ streamign: 'live' }, { streaming: 'loud' }])(
    '%j is thrown as the mistake of the caller',
    (options) => {
      expect(() => validateHooks([], options as never)).toThrow(ConfigError);
    },
  );
});
