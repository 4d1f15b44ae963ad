import { describe, expect, test } from 'vitest';
import { AgentHooksError } from '../../src/errors/base.ts';
import { errorForPolicy } from '../../src/errors/error-for-policy.ts';
import { HookError } from '../../src/errors/hook-error.ts';
import { ModelError } from '../../src/errors/model-error.ts';
import { ToolCallError } from '../../src/errors/tool-error.ts';

const KEY = 'sk-live-0123456789abcdef';
const text = (what: string) => ({ where: "model 'm'", what, fix: 'See `cause`' });

/** As a provider's client gives it: the request is in it, headers and all. */
const raw = Object.assign(new Error('401'), { headers: { authorization: `Bearer ${KEY}` } });

describe('what a policy gets of an error', () => {
  const error = new ModelError('rate-limited', text('it is busy'), {
    cause: raw,
    retryAfterMs: 2_000,
    statusCode: 429,
    usage: { inputTokens: 3, outputTokens: 0 },
  });
  const seen = errorForPolicy(error);

  test('it is of the same class, with the same fields', () => {
    expect(seen).toBeInstanceOf(ModelError);
    expect(ModelError.isInstance(seen)).toBe(true);
    expect(AgentHooksError.isInstance(seen)).toBe(true);
    expect(HookError.isInstance(seen)).toBe(false);
    expect(seen).toMatchObject({
      name: 'ModelError',
      code: 'rate-limited',
      message: error.message,
      retryable: true,
      retryAfterMs: 2_000,
      statusCode: 429,
      usage: { inputTokens: 3, outputTokens: 0 },
    });
    expect(JSON.parse(JSON.stringify(seen))).toEqual(error.toJSON());
  });

  test('the error of the provider is not in it', () => {
    expect('cause' in seen).toBe(false);
    expect(error.cause).toBe(raw);
    for (const key of Reflect.ownKeys(seen))
      expect(String(Reflect.get(seen, key))).not.toContain(KEY);
  });

  test('it cannot be changed, and the error itself can', () => {
    expect(() => Object.assign(seen, { code: 'auth-failed' })).toThrow(TypeError);
    expect(() => Object.assign((seen as ModelError).usage ?? {}, { inputTokens: 0 })).toThrow(
      TypeError,
    );
    expect(Object.isFrozen(error)).toBe(false);
  });

  test('what looks like a secret is taken out of message, stack and fields', () => {
    const leaky = new ModelError('auth-failed', text(`the key ${KEY} is wrong`));
    Object.assign(leaky, { hint: `token=${KEY}`, headers: { authorization: KEY }, list: [KEY] });
    const shown = errorForPolicy(leaky);
    expect(shown.message).toContain('[redacted]');
    expect(shown).toHaveProperty('hint', '[redacted]');
    expect(shown).not.toHaveProperty('headers');
    expect(shown).not.toHaveProperty('list');
    expect(leaky.stack).toContain(KEY);
    expect(`${shown.message} ${shown.stack}`).not.toContain(KEY);
  });

  test('a getter that somebody put into an error is not run', () => {
    const odd = new ToolCallError({ toolName: 'pay', callId: '1.1.0', forModel: 'no' });
    Object.defineProperty(odd, 'trap', {
      enumerable: true,
      get: () => {
        throw new Error('looked at');
      },
    });
    expect(errorForPolicy(odd)).not.toHaveProperty('trap');
  });
});
