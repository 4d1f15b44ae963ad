import { expect, test } from 'vitest';
import { knownOutcome } from '../../src/loop/known-outcome.ts';
import type { BatchCall } from '../../src/loop/state.ts';
import type { ToolResult } from '../../src/protocol/tool.ts';
import type { LedgerEntry } from '../../src/stores/port.ts';

const paid: ToolResult = { outcome: 'succeeded', isError: false, output: 'paid 5' };
const call: BatchCall = {
  callId: '1.1.0',
  providerCallId: 'p-1',
  toolName: 'pay',
  displayName: 'pay',
  parallel: false,
  requestedInput: { euros: 5 },
  effectiveInput: { euros: 5 },
  inputDigest: 'five',
  tier: 'auto',
  sideEffects: 'once',
};

const said = (entry: Partial<LedgerEntry>, recovering = true) => {
  const whole = { callId: '1.1.0', inputDigest: 'five', status: 'finished', at: 1 } as const;
  const ledger = new Map([['1.1.0', { ...whole, ...entry }]]);
  return knownOutcome(call, { recovering, ledger });
};

test('what the ledger has of a call is its result, also for a process that did not run it', () => {
  expect(said({ result: paid })).toBe(paid);
  expect(said({ result: paid }, false)).toBeUndefined();
});

test('what it has of another input is no result of this one: nobody knows, so it is not run', () => {
  expect(said({ result: paid, inputDigest: 'fifty' })).toMatchObject({ outcome: 'unknown' });
});

test('a start without an end is unknown', () => {
  expect(said({ status: 'intended' })).toMatchObject({ outcome: 'unknown' });
});
