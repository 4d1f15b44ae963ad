import { createAgent, memoryStore, scriptedModel, type ThreadStore } from 'agent-hooks';
import { expect, test } from 'vitest';

type Then = (take: (value: unknown) => void) => void;

/** A promise of this realm with a `then` of its own, which `Promise.resolve` takes as it is. */
function withOwnThen(value: unknown, then: (value: unknown) => Then): Promise<unknown> {
  return Object.defineProperty(Promise.resolve(value), 'then', { value: then(value) });
}

const throwing = (): Then => () => {
  throw new Error('not for you');
};
const twice =
  (value: unknown): Then =>
  (take) => {
    take(value);
    take(value);
  };

/** Answers the calls of one method with such promises. */
function odd(method: keyof ThreadStore, then: (value: unknown) => Then): ThreadStore {
  return new Proxy(memoryStore(), {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]) => {
        const value: unknown = Reflect.apply(member, target, given);
        return name === method ? withOwnThen(value, then) : value;
      };
    },
  });
}

test.each(
  (['claim', 'load', 'readMessages', 'commit', 'release'] as const).flatMap((method) => [
    [method, 'throws', throwing] as const,
    [method, 'calls back twice', twice] as const,
  ]),
)('a `then` of the promise of `%s` that %s is looked past', async (method, _what, then) => {
  const store = odd(method, then);
  const agent = createAgent({ name: 'a', model: scriptedModel(['one', 'two']), store });
  const heard: string[] = [];
  agent.on('*', ({ type }) => void heard.push(type));
  for (const text of ['one', 'two']) {
    const result = await agent.run({ threadId: 't', message: 'go' });
    expect(result).toMatchObject({ status: 'completed', text });
    expect(result.messages).toHaveLength(2);
  }
  expect(heard.filter((type) => type === 'turn.started')).toHaveLength(2);
  expect(heard.filter((type) => type === 'turn.finished')).toHaveLength(2);
  expect(heard).not.toContain('error.raised');
});
