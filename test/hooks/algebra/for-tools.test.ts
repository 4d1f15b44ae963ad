import { describe, expect, test } from 'vitest';
import { MessageDecision } from '../../../src/decisions/message-decision.ts';
import { ToolDecision } from '../../../src/decisions/tool-decision.ts';
import { ToolResultDecision } from '../../../src/decisions/tool-result-decision.ts';
import { compose } from '../../../src/hooks/compose.ts';
import { forTools } from '../../../src/hooks/for-tools.ts';
import { defineHooks } from '../../../src/hooks/policy.ts';
import { acceptAll, asIs, bench, illegal, invocation, NOW } from '../make-gate.ts';

const named = (toolName: string) => ({ ...invocation(), toolName });
const guard = defineHooks({
  name: 'guard',
  preToolUse: () => ToolDecision.block('no'),
  postToolUse: () => ToolResultDecision.modify({ output: 'looked at' }),
  onOutgoingMessage: () => MessageDecision.block('no'),
});
const isAsked = async (patterns: readonly string[], toolName: string): Promise<boolean> => {
  const { gate } = bench([forTools(patterns, guard)]);
  const verdict = await gate.toolUse(named(toolName), { check: acceptAll, moment: NOW }, asIs);
  const result = { outcome: 'succeeded', isError: false, output: 'raw' } as const;
  const looked = (await gate.toolResult(named(toolName), result, NOW)).output === 'looked at';
  const blocked = verdict.type === 'judged' && verdict.verdict.type === 'block';
  expect(looked, 'both points of a tool agree').toBe(blocked);
  return blocked;
};

describe('forTools — which tools', () => {
  test.each([
    [['refund'], ['refund'], ['refunds', 'prefund', 'Refund', '']],
    [['refund_*'], ['refund_all', 'refund_'], ['refund', 'a_refund_b']],
    [['*_delete'], ['user_delete', '_delete'], ['user_delete_not']],
    [['a*b*c'], ['abc', 'axbxc', 'abbcc', 'acbc'], ['ab', 'ac', 'acb', 'abcd']],
    [['ab*ba'], ['abba', 'abxba'], ['aba']],
    [['*bb*bb*'], ['bbbb', 'abbxbbc'], ['bb', 'bbb']],
    [['a**b'], ['ab', 'axb'], ['a']],
    [['*'], ['anything', ''], []],
    [['a', 'b_*'], ['a', 'b_1'], ['c']],
    [['a.b'], ['a.b'], ['axb']],
    [['mcp/files:read'], ['mcp/files:read'], ['mcp']],
  ])('%j', async (patterns, inside, outside) => {
    for (const name of inside) expect(await isAsked(patterns, name), name).toBe(true);
    for (const name of outside) expect(await isAsked(patterns, name), name).toBe(false);
  });

  test('names that mean something to an object are only names', async () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
    for (const name of names) {
      expect(await isAsked([name], name)).toBe(true);
      expect(await isAsked(['refund'], name)).toBe(false);
    }
  });

  test('a pattern with many stars is compared in one go', () => {
    const { gate } = bench([forTools(['*a'.repeat(30)], guard)]);
    const since = performance.now();
    void gate.toolUse(
      named(`${'a'.repeat(28)}${'b'.repeat(5000)}a`),
      { check: acceptAll, moment: NOW },
      asIs,
    );
    expect(performance.now() - since).toBeLessThan(2000);
  });

  test('a later change of the list of patterns has no effect', async () => {
    const patterns = ['a'];
    const { gate } = bench([forTools(patterns, guard)]);
    patterns[0] = 'b';
    expect(await gate.toolUse(named('a'), { check: acceptAll, moment: NOW }, asIs)).toMatchObject({
      verdict: { type: 'block' },
    });
  });

  test.each([
    ['refund?'],
    ['refund_[ab]'],
    ['{a,b}'],
    ['!refund'],
    ['^refund$'],
    ['a b'],
    ['a,b'],
    [''],
    [illegal(undefined)],
    [illegal(/refund/)],
  ])('the pattern %j is refused, as it could mean something else', (pattern: string) => {
    expect(() => forTools(['fine', pattern], guard)).toThrow(
      expect.objectContaining({
        code: 'invalid-pattern',
        message: expect.stringMatching(
          /pattern 2.* is neither the name of a tool.* Write 'refund'/s,
        ),
      }),
    );
  });

  test.each([[[]], ['refund'], [undefined]])('%j in the place of a list is refused', (patterns) => {
    expect(() => forTools(illegal(patterns), guard)).toThrow(
      expect.objectContaining({ code: 'invalid-pattern' }),
    );
  });
});

describe('forTools — which points', () => {
  const text = { text: 'hi', isFinal: true };

  test('the other points of the policy stay as they are', async () => {
    const { gate } = bench([forTools(['other'], guard)]);
    expect(await gate.outgoing(text, NOW)).toMatchObject({ type: 'block' });
  });

  test('`only` leaves them out', () => {
    const combined = forTools(['refund'], guard, { only: true });
    expect(combined.onOutgoingMessage).toBeUndefined();
    const { gate } = bench([combined]);
    expect(gate.has('onOutgoingMessage')).toBe(false);
    expect(gate.has('preToolUse')).toBe(true);
  });

  test('`only` leaves out a whole policy of a group that looks at no tool', () => {
    const speaks = defineHooks({ name: 'speaks', onOutgoingMessage: () => undefined });
    const { gate } = bench([forTools(['refund'], compose(speaks, guard), { only: true })]);
    expect(gate.has('onOutgoingMessage')).toBe(false);
    expect(gate.has('postToolUse')).toBe(true);
  });

  test('a policy that looks at no tool is refused', () => {
    const speaks = defineHooks({ name: 'speaks', onOutgoingMessage: () => undefined });
    for (const options of [{}, { only: true }]) {
      expect(() => forTools(['refund'], speaks, options)).toThrow(
        expect.objectContaining({
          code: 'no-hooks',
          message: expect.stringMatching(/^forTools: was given a policy that looks at no tool/),
        }),
      );
    }
  });

  test('a policy that must decide need not say anything of other tools', async () => {
    const must = defineHooks({
      name: 'must',
      options: { preToolUse: { mustDecide: true } },
      preToolUse: () => undefined,
    });
    const { gate } = bench([forTools(['refund'], must)]);
    expect(
      await gate.toolUse(named('other'), { check: acceptAll, moment: NOW }, asIs),
    ).toMatchObject({
      verdict: { type: 'no-opinion' },
    });
    expect(
      await gate.toolUse(named('refund'), { check: acceptAll, moment: NOW }, asIs),
    ).toMatchObject({ type: 'failed' });
  });

  test('nested, both lists have to name the tool', async () => {
    const { gate } = bench([forTools(['refund_*'], forTools(['*_all'], guard))]);
    const typeOf = async (name: string) => {
      const verdict = await gate.toolUse(named(name), { check: acceptAll, moment: NOW }, asIs);
      return verdict.type === 'judged' && verdict.verdict.type;
    };
    expect(await typeOf('refund_all')).toBe('block');
    expect(await typeOf('refund_one')).toBe('no-opinion');
    expect(await typeOf('delete_all')).toBe('no-opinion');
  });

  test.each([[{ olny: true }], [{ only: 'yes' }], [null], [true]])(
    'the options %j are refused',
    (options) => {
      expect(() => forTools(['refund'], guard, illegal(options))).toThrow(
        expect.objectContaining({
          name: 'ConfigError',
          code: expect.stringMatching(/-option$/),
          message: expect.stringMatching(/^forTools/),
        }),
      );
    },
  );
});
