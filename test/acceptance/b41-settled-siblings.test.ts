import { describe, expect, test } from 'vitest';
import type { Agent, ApprovalAnswer, RunResult } from '../../src/index.ts';
import { scriptedModel } from '../../src/index.ts';
import { answersTo } from './approve.ts';
import { hear, ofType, outputs, types } from './evidence.ts';
import { agentFor, counted, expectStatus, MODES, play } from './play.ts';
import { expectSound, resultsIn } from './traces.ts';

type Way = (agent: Agent, answers: readonly ApprovalAnswer[]) => Promise<RunResult>;

const WAYS: readonly (readonly [string, Way])[] = [
  ['resume', (agent, answers) => agent.resume({ threadId: 't', answers })],
  ['streamResume', (agent, answers) => agent.streamResume({ threadId: 't', answers }).result],
];

const call = { toolCalls: [{ name: 'charge', input: { id: 'a' } }] };
const mixed = {
  text: 'Charging you, good bye.',
  toolCalls: [{ name: 'charge', input: { id: 7 } }, { name: 'look' }, ...call.toolCalls],
};

describe.each(MODES)('paused in %s', (mode) => {
  describe.each(WAYS)('%s', (_name, resume) => {
    test('B41, B42: of an answer that also speaks, the open call is asked for first, and what was settled stays so', async () => {
      const [charge, look] = [counted('charge', { tier: 'confirm' }), counted('look')];
      const model = scriptedModel([mixed, 'done'], { strict: true });
      const scene = { model, tools: [charge.tool, look.tool] };
      const paused = await play(mode, scene);
      expect(expectStatus(paused.result, 'awaiting-approval').approvals).toHaveLength(1);
      expect([charge.inputs, look.inputs]).toEqual([[], []]);
      const before = types(paused.streamed);
      expect(before).not.toContain('message.outgoing');
      expect(before).not.toContain('turn.finished');
      const agent = agentFor(mode, { ...scene, store: paused.store });
      const heard = hear(agent);
      expectStatus(await resume(agent, answersTo(paused.result, true)), 'completed');
      expect([charge.inputs, look.inputs.length]).toEqual([[{ id: 'a' }], 1]);
      expect(ofType(heard, 'message.outgoing').map(({ text }) => text)).toEqual([
        'Charging you, good bye.',
        'done',
      ]);
      const results = Object.values(resultsIn(await paused.store.readMessages('t')));
      expect(results.map(({ outcome }) => outcome)).toEqual(['invalid', 'succeeded', 'succeeded']);
      expect(outputs(await paused.store.readMessages('t'))[0]).toEqual({
        error: expect.stringContaining('id'),
      });
      await expectSound({ ...paused, heard: [...paused.heard, ...heard] });
    });

    test('B43: a tool that is gone is an error result, and the model goes on', async () => {
      const charge = counted('charge', { tier: 'confirm' });
      const model = scriptedModel([call, 'sorry'], { strict: true });
      const paused = await play(mode, { model, tools: [charge.tool] });
      const agent = agentFor(mode, { model, store: paused.store, tools: [counted('look').tool] });
      const result = await resume(agent, answersTo(paused.result, true));
      expect(expectStatus(result, 'completed').text).toBe('sorry');
      expect(charge.inputs).toEqual([]);
      const answered = resultsIn(await paused.store.readMessages('t'))['1.1.0'];
      expect(answered?.outcome).toBe('unknown-tool');
      await expectSound(paused);
    });

    test('B44: an answer from outside needs no message, and the caller hears of what fails', async () => {
      const charge = counted('charge', { tier: 'confirm' });
      const model = scriptedModel([call, new Error('down')]);
      const scene = { model, tools: [charge.tool] };
      const paused = await play(mode, scene);
      const agent = agentFor(mode, { ...scene, store: paused.store });
      const result = await resume(agent, answersTo(paused.result, true));
      expect(charge.inputs).toHaveLength(1);
      expect(expectStatus(result, 'failed').error).toMatchObject({ code: 'model-failed' });
      const stored = await paused.store.readMessages('t');
      expect(stored.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
      const elsewhere = agentFor(mode, scene);
      await expect(resume(elsewhere, [])).rejects.toThrow("thread 't'");
    });
  });

  test('B41 to B44, without the gate: what can run runs at once', async () => {
    const [charge, look] = [counted('charge'), counted('look')];
    const model = scriptedModel([mixed, 'done'], { strict: true });
    const played = await play(mode, { model, tools: [charge.tool, look.tool] });
    expectStatus(played.result, 'completed');
    expect([charge.inputs, look.inputs.length]).toEqual([[{ id: 'a' }], 1]);
    const results = Object.values(resultsIn(await played.store.readMessages('t')));
    expect(results.map(({ outcome }) => outcome)).toEqual(['invalid', 'succeeded', 'succeeded']);
    await expectSound(played);
  });
});
