import { type AgentHooks, type ModelRequest, memoryStore, ToolDecision, textOf } from 'agent-hooks';
import { sqliteStore } from 'agent-hooks/stores/sqlite';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { expectStatus } from '../acceptance/play.ts';
import { tempFiles } from '../stores/temp-files.ts';
import { answer, answering, BAD, callLook, GOOD, go, Invoice, WAYS } from './answering.ts';
import { dyingStore } from './desk.ts';

const needed = { code: 'output-needed', message: expect.stringContaining('Pass `output` again') };
const { message: _said, ...again } = go;
const { output: _wish, ...without } = again;

describe.each(WAYS)('a structured answer over processes, %s', (way) => {
  /** Looks first, answers wrongly after that, and rightly when it was told so. */
  const reply = ({ messages }: ModelRequest) => {
    const last = messages.at(-1);
    if (last?.role === 'tool') return answer(way, BAD);
    const isTold = last !== undefined && textOf(last).includes('Give the final answer again');
    return isTold ? answer(way, GOOD) : { toolCalls: [callLook] };
  };
  const script = Array.from({ length: 9 }, () => (request: ModelRequest) => {
    const entry = reply(request);
    return typeof entry === 'function' ? entry(request) : entry;
  });
  const newPath = tempFiles();
  const kinds = {
    memory: (now: () => number) => memoryStore({ now }),
    sqlite: (now: () => number) => sqliteStore({ path: newPath(), now }),
  };

  for (const [kind, open] of Object.entries(kinds)) {
    test.each([1, 2, 3, 4])(
      `L2: a process that ends after %i commits leaves a turn that another brings to its answer (${kind})`,
      async (commits) => {
        let now = 1_000;
        const store = open(() => now);
        const first = answering({ way, script, store: dyingStore(store, commits) });
        expect(await first.agent.run(go)).toMatchObject({ status: 'failed' });
        now += 60_000;
        const second = answering({ way, script, store });
        const result = await second.agent.resume(again);
        expect(result).toMatchObject({ status: 'completed', output: GOOD, steps: 3 });
        const rejected = (await store.readEvents('t')).filter(
          ({ type }) => type === 'llm.rejected',
        );
        expect(rejected).toHaveLength(1);
      },
    );
  }

  test('mismatches are counted over processes, and never given back', async () => {
    const store = memoryStore();
    const step = (first: boolean) => {
      const desk = answering({ way, script: [answer(way, BAD)], store });
      return first ? desk.agent.runStep(go) : desk.agent.runStep(again);
    };
    expect(await step(true)).toMatchObject({ status: 'continues' });
    expect((await store.load('t'))?.state).toMatchObject({
      phase: { turn: { output: { misfits: 1, schema: { type: 'object' } } } },
    });
    expect(await step(false)).toMatchObject({ status: 'continues' });
    const { error } = expectStatus(await step(false), 'failed');
    expect(error).toMatchObject({ code: 'output-misfit', answers: 3 });
  });

  test('a turn goes on only with the schema, and nothing is done without it', async () => {
    const store = memoryStore();
    const script = [{ toolCalls: [callLook] }];
    await answering({ way, script, store }).agent.runStep(go);
    const before = await store.load('t');
    const { agent, model } = answering({ way, script: [answer(way, GOOD)], store });
    await expect(agent.resume(without)).rejects.toMatchObject(needed);
    await expect(agent.runStep(without)).rejects.toMatchObject(needed);
    await expect(agent.streamResume(without).result).rejects.toMatchObject(needed);
    expect(model.calls).toBe(0);
    expect(await store.load('t')).toEqual(before);
    expect(await agent.resume(again)).toMatchObject({ status: 'completed', output: GOOD });
  });

  test('a turn is cancelled, and a crashed one superseded, without it', async () => {
    const store = memoryStore();
    const looks = { toolCalls: [callLook] };
    await answering({ way, script: [looks], store }).agent.runStep(go);
    const { agent } = answering({ way, script: ['a text', looks], store });
    expect(await agent.run({ threadId: 't', message: 'never mind' })).toMatchObject({
      status: 'completed',
      text: 'a text',
    });
    await agent.runStep(go);
    expect(await agent.cancel('t')).toMatchObject({ status: 'cancelled' });
  });

  test('B51: a schema that was mended takes the place of the stored one', async () => {
    const store = memoryStore();
    await answering({ way, script: [{ toolCalls: [callLook] }], store }).agent.runStep(go);
    const Mended = z.object({ sum: z.number() });
    const { agent, model } = answering({ way, script: [answer(way, { sum: 1 })], store });
    expect(await agent.resume({ ...again, output: Mended })).toMatchObject({ output: { sum: 1 } });
    const [request] = model.requests;
    expect(request?.outputSchema ?? request?.tools.at(-1)?.inputSchema).toMatchObject({
      required: ['sum'],
    });
  });

  test('a turn that wanted a text is given a schema on the way', async () => {
    const store = memoryStore();
    const { output: _none, ...plain } = go;
    const script = [{ toolCalls: [callLook] }];
    await answering({ way, script, store }).agent.runStep(plain);
    const { agent } = answering({ way, script: [answer(way, BAD), answer(way, GOOD)], store });
    expect(await agent.resume(again)).toMatchObject({ output: GOOD, steps: 3 });
  });

  test('a turn that has ended has nothing to go on with', async () => {
    const { agent } = answering({ way, script: [answer(way, GOOD)] });
    await agent.run(go);
    await expect(agent.resume(again)).rejects.toMatchObject({ code: 'nothing-to-continue' });
    expect(await agent.cancel('t')).toMatchObject({ status: 'completed' });
  });
});

describe('a final answer that a person has to approve', () => {
  const way = 'by call';
  const ask: AgentHooks = {
    name: 'ask',
    preToolUse: () => ToolDecision.requiresConfirmation('Send it?'),
  };

  async function asked(script = [answer(way, GOOD)]) {
    const store = memoryStore();
    const hooks = [ask];
    const first = answering({ way, script, store, hooks });
    const { approvals } = expectStatus(await first.agent.run(go), 'awaiting-approval');
    const other = answer(way, { total: 1, currency: 'USD' });
    const second = answering({ way, script: [other], store, hooks });
    const approvalId = approvals[0]?.approvalId ?? '';
    return { ...second, approvals, answer: { approvalId, by: 'ann' } };
  }

  test('waits, and is given by another process when it is approved', async () => {
    const { agent, model, approvals, answer: yes } = await asked();
    expect(approvals).toMatchObject([{ toolName: 'final_answer', input: GOOD }]);
    const answers = [{ ...yes, approved: true }];
    await expect(agent.resume({ ...without, answers })).rejects.toMatchObject(needed);
    expect(await agent.resume({ ...again, answers })).toMatchObject({ output: GOOD, steps: 1 });
    expect(model.calls).toBe(0);
  });

  test('is given as the person has changed it, and only where that fits', async () => {
    const { agent, answer: yes } = await asked();
    const edited = (input: { total: unknown; currency: string }) => ({
      ...again,
      answers: [{ ...yes, approved: true, input: input as { total: number; currency: string } }],
    });
    await expect(agent.resume(edited({ total: 'x', currency: 'EUR' }))).rejects.toMatchObject({
      code: 'approval-invalid-input',
    });
    const result = await agent.resume(edited({ total: 7, currency: 'USD' }));
    expect(result).toMatchObject({ output: { total: 7, currency: 'USD' } });
  });

  test('goes back to the model when it is not', async () => {
    const { agent, model, answer: no } = await asked();
    const answers = [{ ...no, approved: false, reason: 'wrong sum' }];
    const result = await agent.resume({ ...again, answers });
    expect(JSON.stringify(model.requests[0]?.messages)).toContain('Not approved: wrong sum');
    expect(result).toMatchObject({
      status: 'awaiting-approval',
      approvals: [{ input: { total: 1 } }],
    });
  });

  test('is asked for by whoever approves a call of a turn that wanted a text', async () => {
    const store = memoryStore();
    const looks = { toolCalls: [callLook] };
    const { output: _none, ...plain } = go;
    const hooks = [ask];
    const begun = await answering({ way, script: [looks], store, hooks }).agent.run(plain);
    const { approvals } = expectStatus(begun, 'awaiting-approval');
    const { agent, model } = answering({
      way,
      script: ['a text', answer(way, GOOD)],
      store,
      hooks,
    });
    const answers = approvals.map(({ approvalId }) => ({ approvalId, approved: true, by: 'ann' }));
    const result = await agent.resume({ ...again, answers });
    expect(result).toMatchObject({ status: 'awaiting-approval', approvals: [{ input: GOOD }] });
    expect(model.calls).toBe(2);
  });

  test('waits on without the schema, as nothing is done', async () => {
    const { agent } = await asked();
    expect(await agent.resume(without)).toMatchObject({ status: 'awaiting-approval' });
  });

  test('of a schema that changed meanwhile is held to the new one', async () => {
    const { agent, answer: yes, model } = await asked();
    const output = Invoice.extend({ country: z.string() });
    const answers = [{ ...yes, approved: true }];
    const result = await agent.resume({ ...again, output, answers });
    expect(JSON.stringify(model.requests[0]?.messages)).toContain('country: ');
    expect(result.status).not.toBe('completed');
  });
});
