import { expect, test } from 'vitest';
import { AgentHooksError, errorInfo } from '../../src/errors/base.ts';
import { ModelError } from '../../src/errors/model-error.ts';
import { ToolError } from '../../src/errors/tool-error.ts';

const trap = (): never => {
  throw new Error('a trap');
};

test.each([
  ['throws when it is read', new Proxy({}, { get: trap })],
  ['was revoked', revoked()],
  ['pretends with something that cannot be read', { [Symbol.for('agent-hooks.error')]: revoked() }],
])('what %s is no error of this package', (_what, value) => {
  expect(AgentHooksError.isInstance(value)).toBe(false);
});

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable([], {});
  revoke();
  return proxy;
}

test('an error is an instance of its class and of the base, and of no other', () => {
  const error = new ToolError('no seats');
  expect(ToolError.isInstance(error)).toBe(true);
  expect(AgentHooksError.isInstance(error)).toBe(true);
  expect(ModelError.isInstance(error)).toBe(false);
});

test('what is stored of an error is text even when its members are none', () => {
  const error = Object.defineProperty(new ToolError('x'), 'message', { get: trap });
  const info = errorInfo(Object.assign(error, { name: 5 }));
  expect(info).toEqual({ name: 'AgentHooksError', code: 'tool-failed', message: '' });
});
