import { expect, test, vi } from 'vitest';
import { compileHooks } from '../../../src/hooks/compile.ts';
import { compose } from '../../../src/hooks/compose.ts';
import { Policy } from '../../../src/hooks/policy.ts';

class Guard extends Policy {
  override preToolUse(): undefined {}
}

test('what another copy of the package combined is refused, not half understood', async () => {
  vi.resetModules();
  const other = await import('../../../src/hooks/compose.ts');
  expect(other.compose).not.toBe(compose);
  expect(() => compileHooks([other.compose(new Guard())], 'default')).toThrow(
    expect.objectContaining({
      name: 'ConfigError',
      message: expect.stringContaining('this same copy of the package'),
    }),
  );
});
