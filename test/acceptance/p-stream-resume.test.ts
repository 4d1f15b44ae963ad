import { describe, expect, test } from 'vitest';
import {
  type AgentEvent,
  defineHooks,
  ResponseDecision,
  scriptedModel,
  ToolDecision,
  type ToolInvocation,
} from '../../src/index.ts';
import { answersTo } from './approve.ts';
import { agentFor, counted, expectStatus, play, stores } from './play.ts';
import { expectSound, resultsIn } from './traces.ts';

const WORD = 'xyzzy';
const script = [{ toolCalls: [{ name: 'charge' }] }, `the word is ${WORD}`];

/** Asks first, and says at resume what it is given. */
const asks = (later?: ToolDecision) =>
  defineHooks({
    name: 'asks',
    preToolUse: ({ approval }: ToolInvocation) =>
      approval === undefined ? ToolDecision.requiresConfirmation('May it?') : later,
  });
const guard = defineHooks({
  name: 'guard',
  onLlmResponse: ({ text }) => (text.includes(WORD) ? ResponseDecision.block('banned') : undefined),
});

describe.each(stores())('%s store', (_name, open) => {
  const resumed = async (hooks: ReturnType<typeof defineHooks>[]) => {
    const charge = counted('charge');
    const scene = { store: open(), model: scriptedModel(script), tools: [charge.tool], hooks };
    const paused = await play('run', scene);
    const answers = answersTo(paused.result, true);
    const stream = agentFor('run', scene).streamResume({ threadId: 't', answers });
    const events: AgentEvent[] = [];
    for await (const event of stream) events.push(event);
    return { result: await stream.result, events, charge, paused };
  };

  test('P03, B28: by streamResume a policy is asked again as by resume, and its Block wins', async () => {
    const { result, charge, paused } = await resumed([asks(ToolDecision.block('changed'))]);
    expectStatus(result, 'completed');
    expect(charge.inputs).toEqual([]);
    expect(resultsIn(await paused.store.readMessages('t'))['1.1.0']?.outcome).toBe('blocked');
    await expectSound(paused);
  });

  test('B04, B06: by streamResume what a policy blocks is streamed to nobody', async () => {
    const { result, events, charge, paused } = await resumed([asks(), guard]);
    expectStatus(result, 'blocked');
    expect(charge.inputs).toHaveLength(1);
    expect(JSON.stringify(events)).not.toContain(WORD);
    expect(events.at(-1)).toMatchObject({ type: 'turn.finished', status: 'blocked' });
    await expectSound(paused);
  });

  test('P03 twin: without the guard the answer is streamed', async () => {
    const { result, events } = await resumed([asks()]);
    expectStatus(result, 'completed');
    expect(JSON.stringify(events)).toContain(WORD);
  });
});
