import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../src/errors/config-error.ts';
import type { AgentHooks } from '../../src/hooks/agent-hooks.ts';
import { compileHooks } from '../../src/hooks/compile.ts';
import { defineHooks, Policy } from '../../src/hooks/policy.ts';
import { asIs, bench, illegal, NOW, request } from './make-gate.ts';

const compile = (...hooks: readonly unknown[]): ConfigError | undefined => {
  try {
    compileHooks(illegal(hooks), 'default');
    return undefined;
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
};

const hook = (): undefined => undefined;

describe('building policies — what is no policy', () => {
  test.each([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'hooks'],
    ['a list', [{ preToolUse: hook }]],
    ['an object without hooks', { name: 'a' }],
    ['a policy that implements nothing', new (class Empty extends Policy {})()],
  ])('%s is refused', (_what, value) => {
    expect(compile(value)).toMatchObject({ code: 'no-hooks' });
  });

  test('a class in place of an instance is refused, and `new` is suggested', () => {
    class Gate extends Policy {
      override preToolUse(): undefined {}
    }
    expect(compile(Gate)?.message).toContain('new MyPolicy()');
  });

  test('something else than a list is refused', () => {
    expect(() => compileHooks(illegal({ preToolUse: hook }), 'default')).toThrow(ConfigError);
  });

  test('no policies at all are fine, and nothing is asked', () => {
    const compiled = compileHooks([], 'default');
    expect(compiled.has('preToolUse')).toBe(false);
    expect(compiled.holdsStream).toBe(false);
  });
});

describe('building policies — misspelled hooks', () => {
  test.each([
    ['preTooluse', 'preToolUse'],
    ['preToolCall', 'preToolUse'],
    ['onLLMResponse', 'onLlmResponse'],
    ['onLlmRespons', 'onLlmResponse'],
    ['pre_tool_use', 'preToolUse'],
    ['pretooluse', 'preToolUse'],
    ['PreToolUse', 'preToolUse'],
    ['wrapToolUsage', 'wrapToolUse'],
    ['postLlmRequest', 'preLlmRequest'],
    ['systemPromt', 'systemPrompt'],
    ['onBeforeToolUse', 'preToolUse'],
    ['onPreToolUse', 'preToolUse'],
    ['onBeforeModel', 'preLlmRequest'],
    ['on_after_tool_call', 'postToolUse'],
    ['outgoingMessage', 'onOutgoingMessage'],
    ['llm_response', 'onLlmResponse'],
    ['userMessage', 'onUserMessage'],
    ['onMessage', 'onUserMessage'],
    ['onToolCall', 'preToolUse'],
    ['toolCall', 'preToolUse'],
    ['canUseTool', 'preToolUse'],
    ['can_use_tool', 'preToolUse'],
    ['validateToolCall', 'preToolUse'],
    ['on_tool_start', 'preToolUse'],
    ['before_model', 'preLlmRequest'],
    ['wrap_model_call', 'wrapLlmCall'],
    ['beforeModelCallback', 'preLlmRequest'],
    ['handleLLMEnd', 'onLlmResponse'],
    ['wrapGenerate', 'wrapLlmCall'],
    ['UserPromptSubmit', 'onUserMessage'],
    ['onToolResult', 'postToolUse'],
    ['onToolEnd', 'postToolUse'],
    ['beforeAgent', 'onTurnStart'],
    ['prepareStep', 'preLlmRequest'],
    ['PreCompact', 'onContextCompact'],
    ['onCompact', 'onContextCompact'],
    ['afterLLMCall', 'onLlmResponse'],
    ['post_model_call', 'onLlmResponse'],
    ['preModelCall', 'preLlmRequest'],
    ['transformParams', 'preLlmRequest'],
    ['handleToolError', 'postToolUse'],
    ['handleLLMError', 'onError'],
    ['onEvnet', 'onEvent'],
    ['onErorr', 'onError'],
    ['onEvents', 'onEvent'],
    ['wrapModle', 'wrapLlmCall'],
  ])('%s is refused, and %s suggested', (wrong, right) => {
    const error = compile({ onEvent: hook, [wrong]: hook });
    expect(error).toMatchObject({ code: 'unknown-hook' });
    expect(error?.message).toContain(`'${right}'`);
  });

  test('a misspelled hook is found in a class, and in the class it inherits from', () => {
    class Base extends Policy {
      preToolUses(): undefined {}
    }
    class Gate extends Base {
      override onTurnStart(): undefined {}
    }
    expect(compile(new Gate())).toMatchObject({ code: 'unknown-hook' });
  });

  test.each([
    'onApproved',
    'onBeforeUnload',
    'onAfterSave',
    'onPrepared',
    'toolCallCount',
    'toolCalls',
    'isToolCall',
    'checkToolCall',
    'toolResultOf',
    'canUse',
    'canUseTools',
    'message',
    'messages',
    'onMessages',
    'userMessages',
    'outgoing',
    'error',
    'event',
    'validate',
    'validateToolCalls',
    'needsApproval',
    'onEvict',
    'onSpent',
    'wrapCode',
    'startTurn',
    '_toolCall',
    '_pre_tool_use',
  ])('a method of its own called %s is left alone', (name) => {
    expect(compile({ preToolUse: hook, [name]: hook })).toBeUndefined();
  });

  test('a method that is not like a hook is left alone', () => {
    class Gate extends Policy {
      override preToolUse(): undefined {}
      onlineUsers(): number {
        return 1;
      }
      prepare(): void {}
      onLoad(): void {}
      toolUse(): void {}
      checkTool(): void {}
      readonly postbox = 'x';
    }
    expect(compile(new Gate())).toBeUndefined();
  });

  test('a hook that is no function is refused', () => {
    expect(compile({ onEvent: hook, preToolUse: true })).toMatchObject({ code: 'invalid-option' });
    expect(compile({ onEvent: hook, preToolUse: null })).toMatchObject({ code: 'invalid-option' });
  });
});

describe('building policies — a prompt', () => {
  test('an async systemPrompt is refused for being async', () => {
    expect(compile({ systemPrompt: async () => 'x' })?.message).toContain('async');
  });
});

describe('building policies — options', () => {
  const withOptions = (options: unknown) => compile({ preToolUse: hook, onEvent: hook, options });

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, '5', 2 ** 31, null])(
    'a time limit of %s is refused',
    (timeoutMs) => {
      expect(withOptions({ preToolUse: { timeoutMs } })).toMatchObject({ code: 'invalid-option' });
    },
  );

  test.each([
    [{ preToolUs: {} }, 'unknown-option', "'preToolUse'"],
    [{ preToolUse: { timeout: 5 } }, 'unknown-option', "'timeoutMs'"],
    [{ constructor: {} }, 'unknown-option', 'constructor'],
    [{ preToolUse: { failure: 'shut' } }, 'invalid-option', 'failure'],
    [{ preToolUse: { mustDecide: 'yes' } }, 'invalid-option', 'mustDecide'],
    [{ onEvent: { mustDecide: true } }, 'invalid-option', 'mustDecide'],
    [{ onEvent: { failure: 'closed' } }, 'invalid-option', 'onEvent'],
    [{ preToolUse: 5 }, 'invalid-option', 'preToolUse'],
    [[], 'invalid-option', 'options'],
  ])('%j is refused', (options, code, named) => {
    const error = withOptions(options);
    expect(error).toMatchObject({ code });
    expect(error?.message).toContain(named);
  });

  test('the largest time limit is the largest a timer takes', () => {
    expect(withOptions({ preToolUse: { timeoutMs: 2 ** 31 - 1 } })).toBeUndefined();
  });

  test.each([
    [{ order: 'middle' }],
    [{ version: 2 }],
    [{ name: '' }],
    [{ name: 7 }],
    [{ events: 'tool.*' }],
    [{ events: [1] }],
  ])('%j is refused', (fields) => {
    expect(compile({ onEvent: hook, ...fields })).toMatchObject({ code: 'invalid-option' });
  });

  test('an event pattern that matches nothing is refused', () => {
    expect(compile({ onEvent: hook, events: ['tools.*'] })).toMatchObject({
      code: 'invalid-pattern',
    });
  });

  test('voice shortens every limit that a policy does not set itself', () => {
    const policies = [
      defineHooks({ preToolUse: hook, onEvent: hook }),
      defineHooks({ preToolUse: hook, options: { preToolUse: { timeoutMs: 7 } } }),
    ];
    const limits = (profile: 'default' | 'voice') =>
      compileHooks(policies, profile).entries.preToolUse?.map(({ timeoutMs }) => timeoutMs);
    expect(limits('default')).toEqual([5_000, 7]);
    expect(limits('voice')).toEqual([500, 7]);
  });
});

describe('building policies — read once', () => {
  test('later changes of the list and of a policy have no effect', async () => {
    const policy: { name: string; options: object; preLlmRequest: () => unknown } = {
      name: 'a',
      options: { preLlmRequest: { failure: 'open' } },
      preLlmRequest: () => {
        throw new Error('broken');
      },
    };
    const list: AgentHooks<never>[] = [illegal(policy)];
    const { gate } = bench(list);
    list.push(illegal({ preLlmRequest: () => ({ type: 'block', reason: 'late' }) }));
    policy.options = { preLlmRequest: { failure: 'closed' } };
    policy.preLlmRequest = () => ({ type: 'block', reason: 'replaced' });
    expect(await gate.request(request(), NOW, asIs)).toMatchObject({ type: 'pass' });
  });

  test('methods run with their policy as `this`', async () => {
    class Counts extends Policy {
      #asked = 0;
      override preLlmRequest(): { type: 'block'; reason: string } {
        this.#asked += 1;
        return { type: 'block', reason: `asked ${this.#asked}` };
      }
    }
    const { gate } = bench([new Counts()]);
    expect(await gate.request(request(), NOW, asIs)).toMatchObject({ reason: 'asked 1' });
    expect(await gate.request(request(), NOW, asIs)).toMatchObject({ reason: 'asked 2' });
  });

  test('what is compiled is frozen', () => {
    const compiled = compileHooks([defineHooks({ onEvent: hook, preToolUse: hook })], 'default');
    const parts = [
      compiled,
      compiled.entries,
      compiled.entries.preToolUse,
      compiled.observers,
      compiled.policies,
    ];
    expect(parts.every((part) => Object.isFrozen(part))).toBe(true);
    expect(Object.isFrozen(compiled.entries.preToolUse?.[0])).toBe(true);
  });
});
