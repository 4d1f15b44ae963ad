import { describe, expect, test } from 'vitest';
import { ToolDecision } from '../../src/decisions/tool-decision.ts';
import { defineHooks } from '../../src/hooks/policy.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { asIs, bench, invocation, NOW } from './make-gate.ts';

const rewrite = (input: JsonObject) =>
  defineHooks({ name: 'a', preToolUse: () => ToolDecision.modify(input) });

describe('rewriting the input of a tool call', () => {
  test('is checked before anyone else sees it, and what the check made of it runs', async () => {
    const seen: JsonObject[] = [];
    const { gate } = bench([
      rewrite({ id: 2 }),
      defineHooks({
        name: 'b',
        preToolUse: ({ effectiveInput }) => void seen.push(effectiveInput),
      }),
    ]);
    const check = (input: unknown) => ({ input: { ...(input as JsonObject), locked: 'yes' } });
    const verdict = await gate.toolUse(invocation({ id: 1 }), { check: check, moment: NOW }, asIs);
    expect(verdict).toMatchObject({
      type: 'judged',
      verdict: { type: 'no-opinion' },
      invocation: { requestedInput: { id: 1 }, effectiveInput: { id: 2, locked: 'yes' } },
    });
    expect(seen).toEqual([{ id: 2, locked: 'yes' }]);
  });

  test('that does not fit the schema is a failure', async () => {
    const { gate, failures } = bench([rewrite({ id: 'x' })]);
    const verdict = await gate.toolUse(
      invocation(),
      { check: () => ({ problem: 'id: needs a number' }), moment: NOW },
      asIs,
    );
    expect(verdict).toMatchObject({ type: 'failed', error: { kind: 'invalid-rewrite' } });
    expect(verdict).toHaveProperty('error.message', expect.stringContaining('id: needs a number'));
    expect(failures()).toMatchObject([{ kind: 'invalid-rewrite', callId: '1.1.0' }]);
  });

  test('may be checked asynchronously', async () => {
    const { gate } = bench([rewrite({ id: 2 })]);
    const check = async () => ({ input: { id: 3 } });
    expect(await gate.toolUse(invocation(), { check: check, moment: NOW }, asIs)).toMatchObject({
      invocation: { effectiveInput: { id: 3 } },
    });
    gate.close();
  });

  test('whose check throws or rejects is a failure', async () => {
    const checks = [
      () => {
        throw new Error('schema');
      },
      async () => Promise.reject(new Error('schema')),
    ];
    for (const check of checks) {
      const { gate } = bench([rewrite({ id: 2 })]);
      expect(await gate.toolUse(invocation(), { check: check, moment: NOW }, asIs)).toMatchObject({
        error: { kind: 'invalid-rewrite', cause: expect.any(Error) },
      });
    }
  });

  test('where the policy is open leaves the input as it was', async () => {
    const open = { ...rewrite({ id: 2 }), options: { preToolUse: { failure: 'open' as const } } };
    const { gate } = bench([open]);
    expect(
      await gate.toolUse(
        invocation({ id: 1 }),
        { check: () => ({ problem: 'no' }), moment: NOW },
        asIs,
      ),
    ).toMatchObject({
      verdict: { type: 'no-opinion' },
      invocation: { effectiveInput: { id: 1 } },
    });
  });
});
