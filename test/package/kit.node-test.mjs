/** Run by Node's own runner in a project that holds nothing but the packed package: no vitest is near. */
import assert from 'node:assert/strict';
import { snapshot, test } from 'node:test';
import { createAgent, defineHooks, scriptedModel, ToolDecision } from 'agent-hooks';
import {
  agentEvent,
  ask,
  assertAnswer,
  chunked,
  coverageOf,
  faultyPolicies,
  hookContext,
  modelError,
  recordCalls,
  toolInvocation,
} from 'agent-hooks/testing';
import { assertHealthy, fuzzPolicy } from 'agent-hooks/testing/fuzz';

snapshot.setDefaultSnapshotSerializers([(value) => JSON.stringify(value, null, 2)]);

const limit = defineHooks({
  name: 'limit',
  preToolUse: ({ effectiveInput }) =>
    effectiveInput.euros > 100 ? ToolDecision.block('above 100') : undefined,
});

test('asks and asserts', async () => {
  const call = toolInvocation('refund', { euros: 500 });
  assertAnswer(await ask(limit).preToolUse(call), 'block', /100/);
  assert.throws(() => assertAnswer(ToolDecision.allow(), 'block'), /to block, but it allowed/);
});

test('shows a rewrite line by line', () => {
  const rewrite = ToolDecision.modify({ euros: 50 });
  assert.throws(
    () => assertAnswer(rewrite, 'modify', { euros: 5 }),
    /-\s+euros: 5\n\+\s+euros: 50/,
  );
});

test('asks about errors', async () => {
  const policy = { name: 'again', onError: (error) => error.code === 'overloaded' };
  assertAnswer(await ask(policy).onError(modelError()), 'recover');
});

test('calls a watching policy', () => {
  const heard = [];
  const policy = { onEvent: (event, ctx) => void heard.push(event.type, ctx.threadId) };
  policy.onEvent(agentEvent('tool.failed'), hookContext());
  assert.deepEqual(heard, ['tool.failed', 'thread']);
});

test('plays a script to its end and keeps a record', async (t) => {
  const toolCalls = [{ name: 'none', input: { key: 'sk-live-4242424242424242' } }];
  const model = scriptedModel([{ toolCalls }, 'Done.'], { strict: true });
  const agent = recordCalls(createAgent({ name: 'desk', model, hooks: [limit] }));
  await agent.run({ message: 'Hi' });
  model.assertComplete();
  const recorded = await agent.recorded();
  assert.doesNotMatch(JSON.stringify(recorded), /4242/);
  t.assert.snapshot(recorded);
});

test('says what of a script was not used', () => {
  assert.throws(() => scriptedModel(['a']).assertComplete(), /entry 1 \("a"\) was never asked for/);
});

test('has guards that fail', async () => {
  for (const [, guard] of faultyPolicies('preToolUse'))
    assertAnswer(await ask(guard).preToolUse(toolInvocation('pay')), 'fail');
});

test('cuts streams and counts coverage', async () => {
  assert.equal(chunked('abcd').length, 8);
  const coverage = coverageOf([limit]);
  await ask(coverage.policies[0]).preToolUse(toolInvocation('refund', { euros: 500 }));
  assert.throws(() => coverage.assertCovered(), /never let anything through/);
});

test('fuzzes', async () => {
  assertHealthy(await fuzzPolicy(limit, 'preToolUse', { timeMs: 1_000 }));
});
