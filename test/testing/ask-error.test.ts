import { describe, expect, test } from 'vitest';
import { defineHooks, ErrorDecision, ModelError } from '../../src/index.ts';
import { ask } from '../../src/testing/index.ts';

const down = new ModelError(
  'overloaded',
  { where: 'model', what: 'it is busy', fix: 'Ask later' },
  { cause: new Error('503') },
);

describe('ask — what a policy says to an error', () => {
  test('X24: true is read as recover, and the policy gets the error as an agent would give it', async () => {
    const seen: unknown[] = [];
    const policy = defineHooks({
      name: 'p',
      onError: (error) => {
        seen.push(error, error.cause, Object.isFrozen(error));
        return ModelError.isInstance(error) && error.retryable;
      },
    });
    expect(await ask(policy).onError(down)).toMatchObject({
      type: 'decided',
      point: 'onError',
      decision: { type: 'recover' },
      value: { code: 'overloaded' },
    });
    expect(seen.slice(1)).toEqual([undefined, true]);
    expect(Object.isFrozen(down)).toBe(false);
  });

  test('X24: a text is data, nothing is no opinion, and what is no decision is a failure', async () => {
    const says = (answer: () => unknown) =>
      // The last of them is what no type allows.
      ask(defineHooks({ name: 'p', onError: answer as () => ErrorDecision })).onError(down);
    expect(await says(() => ErrorDecision.fallback('Closed.'))).toMatchObject({
      decision: { type: 'fallback', text: 'Closed.' },
    });
    expect(await says(() => undefined)).toMatchObject({ type: 'no-opinion' });
    expect(await says(() => 'recover')).toMatchObject({ type: 'failed', kind: 'illegal' });
  });
});
