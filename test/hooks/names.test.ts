import { describe, expect, test } from 'vitest';
import { ToolDecision } from '../../src/decisions/tool-decision.ts';
import { compileHooks } from '../../src/hooks/compile.ts';
import { defineHooks, Policy } from '../../src/hooks/policy.ts';
import { acceptAll, asIs, bench, invocation, NOW } from './make-gate.ts';

class Refunds extends Policy {
  override preToolUse() {
    return ToolDecision.requiresConfirmation('sure?');
  }
}

const asks = { preToolUse: () => ToolDecision.requiresConfirmation('sure?') };

describe('names of policies', () => {
  test('are explicit, else the class, else the place in the list', () => {
    const { policies } = compileHooks(
      [defineHooks({ name: 'own', ...asks }), new Refunds(), defineHooks(asks)],
      'default',
    );
    expect(policies).toEqual(['own', 'Refunds', 'policy-3']);
  });

  test('an object that inherits nothing, or nothing with a name, has its place', () => {
    const bare = Object.assign(Object.create(null), asks);
    const anonymous = new (class extends Policy {
      override preToolUse() {
        return undefined;
      }
    })();
    expect(compileHooks([bare, anonymous], 'default').policies).toEqual(['policy-1', 'policy-2']);
  });

  test('the place is that in the list, also when another order is asked for', () => {
    const { policies } = compileHooks(
      [defineHooks(asks), defineHooks({ order: 'first', ...asks })],
      'default',
    );
    expect(policies).toEqual(['policy-2', 'policy-1']);
  });

  test.each([
    ['the same name', [defineHooks({ name: 'a', ...asks }), defineHooks({ name: 'a', ...asks })]],
    ['the same class', [new Refunds(), new Refunds()]],
    ['the name of a class', [new Refunds(), defineHooks({ name: 'Refunds', ...asks })]],
    ['the name of a place', [defineHooks({ name: 'policy-2', ...asks }), defineHooks(asks)]],
  ])('two policies with %s are refused', (_what, hooks) => {
    expect(() => compileHooks(hooks, 'default')).toThrow(
      expect.objectContaining({
        code: 'duplicate-policy',
        message: expect.stringContaining('hooks[0] and hooks[1]'),
      }),
    );
  });

  test('a class may ask for an approval under its own name', async () => {
    const { gate } = bench([new Refunds()]);
    expect(await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs)).toMatchObject(
      {
        verdict: { type: 'confirm', requirements: [{ policy: 'Refunds' }] },
      },
    );
  });

  test('a policy that only its place names cannot ask for an approval', async () => {
    const { gate } = bench([defineHooks(asks)]);
    const verdict = await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs);
    expect(verdict).toMatchObject({
      type: 'failed',
      error: { kind: 'illegal', policy: 'policy-1' },
    });
    expect(verdict.type === 'failed' && verdict.error.message).toContain('`name`');
  });
});
