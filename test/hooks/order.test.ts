import { describe, expect, test } from 'vitest';
import { MessageDecision } from '../../src/decisions/message-decision.ts';
import { ToolResultDecision } from '../../src/decisions/tool-result-decision.ts';
import { defineHooks } from '../../src/hooks/policy.ts';
import { bench, invocation, NOW } from './make-gate.ts';

describe('the order of policies', () => {
  test('is first, unmarked, last, and list order within each', async () => {
    const asked: string[] = [];
    const policy = (name: string, order?: 'first' | 'last') =>
      defineHooks({
        name,
        ...(order !== undefined && { order }),
        onTurnStart: () => void asked.push(name),
      });
    const { gate } = bench([
      policy('c'),
      policy('e', 'last'),
      policy('a', 'first'),
      policy('d'),
      policy('f', 'last'),
      policy('b', 'first'),
    ]);
    await gate.turnStart({ turnId: 'turn-1', isFirst: true }, NOW);
    expect(asked).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  });

  test('each sees the value as the one before left it', async () => {
    const append = (name: string) =>
      defineHooks({
        name,
        onOutgoingMessage: ({ text }, { recheck }) =>
          recheck ? undefined : MessageDecision.modify(text + name),
      });
    const { gate } = bench([append('a'), append('b'), append('c')]);
    expect(await gate.outgoing({ text: '>', isFinal: true }, NOW)).toEqual({
      type: 'pass',
      value: { text: '>abc', isFinal: true },
      modified: true,
    });
  });

  test('postToolUse runs last to first', async () => {
    const append = (name: string) =>
      defineHooks({
        name,
        postToolUse: (_invocation, { output }) =>
          ToolResultDecision.modify({ output: `${output}${name}` }),
      });
    const { gate } = bench([append('a'), append('b'), append('c')]);
    const result = { outcome: 'succeeded', isError: false, output: '>' } as const;
    expect(await gate.toolResult(invocation(), result, NOW)).toEqual({ ...result, output: '>cba' });
  });

  test('asynchronous answers keep the order', async () => {
    const asked: string[] = [];
    const policy = (name: string, ms: number) =>
      defineHooks({
        name,
        async onTurnStart() {
          await new Promise((resolve) => setTimeout(resolve, ms));
          asked.push(name);
        },
      });
    const { gate } = bench([policy('slow', 10), policy('fast', 1), policy('fastest', 0)]);
    await gate.turnStart({ turnId: 'turn-1', isFirst: true }, NOW);
    expect(asked).toEqual(['slow', 'fast', 'fastest']);
  });
});
