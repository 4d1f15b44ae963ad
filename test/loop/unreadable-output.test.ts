import { createAgent, type SideEffects, scriptedModel, ToolError, tool } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { callPay } from './desk.ts';

interface Case {
  readonly sideEffects: SideEffects;
  readonly outputSchema?: z.ZodType;
  readonly output?: () => unknown;
}

/** Runs a tool once and gives its result, as the model reads it. */
async function resultOf({ sideEffects, outputSchema, output }: Case) {
  const pay = tool({
    name: 'pay',
    description: 'Pays',
    inputSchema: z.object({ euros: z.number() }),
    ...(outputSchema !== undefined && { outputSchema }),
    sideEffects,
    tier: 'auto',
    execute: output ?? (({ euros }) => ({ paid: euros })),
  });
  const model = scriptedModel([{ toolCalls: [callPay(5)] }, 'done']);
  const result = await createAgent({ name: 'a', model, tools: [pay] }).run({ message: 'go' });
  const answer = result.messages[2];
  return answer?.role === 'tool' ? answer.content[0] : expect.unreachable();
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const fails = (): never => {
  throw new Error('a fault of the schema');
};
const cases: readonly (readonly [string, Omit<Case, 'sideEffects'>])[] = [
  ['does not fit its schema', { outputSchema: z.object({ paid: z.string() }) }],
  ['meets a schema that throws', { outputSchema: z.any().refine(fails) }],
  [
    'meets a schema that rejects',
    { outputSchema: z.any().refine(async () => Promise.reject(new Error('no'))) },
  ],
  ['cannot be read', { output: revoked }],
];

describe('a call that was carried out', () => {
  test.each(cases)(
    'is of unknown outcome and not to be repeated when its output %s',
    async (_name, more) => {
      const result = await resultOf({ sideEffects: 'once', ...more });
      expect(result).toMatchObject({ outcome: 'unknown', isError: true });
      expect(result?.output).toEqual({
        error: expect.stringMatching(
          /^The call was carried out, .*Do not repeat the call\. Do not claim success\.$/,
        ),
      });
    },
  );

  test.each(cases)('has failed when it may be repeated and its output %s', async (_name, more) => {
    const result = await resultOf({ sideEffects: 'idempotent', ...more });
    expect(result).toMatchObject({ outcome: 'failed', isError: true });
  });

  test('has failed when it threw itself', async () => {
    const result = await resultOf({ sideEffects: 'once', output: fails });
    expect(result).toMatchObject({ outcome: 'failed' });
  });

  test.each([
    ['once', 'unknown', /^Outcome unknown: The line was cut\. Do not repeat it before /],
    ['idempotent', 'failed', /^The line was cut\. Do not claim success\.$/],
    ['none', 'failed', /^The line was cut\. Do not claim success\.$/],
  ] as const)(
    'that cannot tell whether it was, and has %s side effects, is %s',
    async (sideEffects, outcome, words) => {
      const output = (): never => {
        throw new ToolError('The line was cut', { code: 'outcome-unknown' });
      };
      const result = await resultOf({ sideEffects, output });
      expect(result).toMatchObject({ outcome, output: { error: expect.stringMatching(words) } });
    },
  );
});
