import {
  defineHooks,
  type Message,
  type ModelRequest,
  memoryStore,
  ToolDecision,
  toolCallsOf,
  toolResultsOf,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { callPay, callRead, desk, dyingStore } from './desk.ts';

/** Answers by what it reads, as a model does: two calls first, then the end. */
const answer = (request: ModelRequest) =>
  request.messages.at(-1)?.role === 'tool'
    ? 'done'
    : { text: 'One moment.', toolCalls: [callPay(5), callRead] };
const script = Array.from({ length: 20 }, () => answer);

function balance(messages: readonly Message[]): { calls: string[]; results: string[] } {
  return {
    calls: messages.flatMap(toolCallsOf).map(({ callId }) => callId),
    results: messages.flatMap(toolResultsOf).map(({ callId }) => callId),
  };
}

describe('L2: any process can pick a stored state up', () => {
  for (const commits of [0, 1, 2, 3, 4]) {
    test(`L2: a process that ends after ${commits} commits leaves a thread another one finishes`, async () => {
      let now = 1_000;
      const disk = memoryStore({ now: () => now });
      const log: string[] = [];
      const first = desk({ script, store: dyingStore(disk, commits), log });
      await first.agent.run({ threadId: 't', message: 'go' }).catch((error: unknown) => error);
      now += 60_000;
      const second = desk({ script, store: disk, log });
      // Before the first commit the thread does not exist: there is nothing to resume, only to begin.
      const result =
        commits === 0
          ? await second.agent.run({ threadId: 't', message: 'go' })
          : await second.agent.resume({ threadId: 't' });
      expect(result.status).toBe('completed');
      expect(log.filter((entry) => entry === 'pay 5').length).toBeLessThanOrEqual(1);
      const { calls, results } = balance(await disk.readMessages('t'));
      expect(calls).toHaveLength(2);
      expect(results).toEqual(calls);
      const turns = (await disk.readEvents('t'))
        .map((event) => event.type)
        .filter((type) => type.startsWith('turn.'));
      expect(turns).toEqual(['turn.started', 'turn.finished']);
    });

    test(`L2: a message after a process that ended after ${commits} commits closes the old turn and begins a new one`, async () => {
      let now = 1_000;
      const disk = memoryStore({ now: () => now });
      const log: string[] = [];
      const first = desk({ script, store: dyingStore(disk, commits), log });
      await first.agent.run({ threadId: 't', message: 'go' }).catch((error: unknown) => error);
      now += 60_000;
      const paid = log.filter((entry) => entry === 'pay 5').length;
      const second = desk({ script: ['hello again'], store: disk, log });
      const result = await second.agent.run({ threadId: 't', message: 'still there?' });
      expect(result).toMatchObject({ status: 'completed', text: 'hello again' });
      expect(log.filter((entry) => entry === 'pay 5').length).toBe(paid);
      const { calls, results } = balance(await disk.readMessages('t'));
      expect(results).toEqual(calls);
      const turns = (await disk.readEvents('t'))
        .map((event) => event.type)
        .filter((type) => type.startsWith('turn.'));
      expect(turns).toEqual(
        commits === 0
          ? ['turn.started', 'turn.finished']
          : ['turn.started', 'turn.finished', 'turn.started', 'turn.finished'],
      );
    });
  }

  for (const commits of [1, 2, 3, 4]) {
    test(`L2: where that message was lost too, the one after it finds the old turn (${commits} commits) closed once`, async () => {
      for (const more of [0, 1, 2, 3]) {
        let now = 1_000;
        const disk = memoryStore({ now: () => now });
        const log: string[] = [];
        for (const left of [commits, more]) {
          const dying = desk({ script, store: dyingStore(disk, left), log });
          await dying.agent.run({ threadId: 't', message: 'go' }).catch((error: unknown) => error);
          now += 60_000;
        }
        const last = desk({ script, store: disk, log });
        const result = await last.agent.run({ threadId: 't', message: 'again' });
        expect(result.status).toBe('completed');
        const { calls, results } = balance(await disk.readMessages('t'));
        expect(results).toEqual(calls);
        const turns = (await disk.readEvents('t')).flatMap(({ type, turnId }) =>
          type.startsWith('turn.') ? [`${turnId} ${type}`] : [],
        );
        expect(new Set(turns).size).toBe(turns.length);
        const ended = turns.filter((turn) => turn.endsWith('turn.finished'));
        expect(ended).toHaveLength(turns.length / 2);
      }
    });
  }

  test('L2: a process that ends between the answers and the tools leaves an approved call that runs once', async () => {
    let now = 1_000;
    const disk = memoryStore({ now: () => now });
    const log: string[] = [];
    const ask = defineHooks({
      name: 'ask',
      preToolUse: (i) =>
        i.toolName === 'pay' ? ToolDecision.requiresConfirmation('pay?') : undefined,
    });
    const paused = await desk({ script, store: disk, log, hooks: [ask] }).agent.run({
      threadId: 't',
      message: 'go',
    });
    if (paused.status !== 'awaiting-approval') throw new Error(paused.status);
    const answers = paused.approvals.map(({ approvalId }) => ({
      approvalId,
      approved: true,
      by: 'boss',
    }));
    await desk({ script, store: dyingStore(disk, 1), log, hooks: [ask] })
      .agent.resume({ threadId: 't', answers })
      .catch((error: unknown) => error);
    expect(log).not.toContain('pay 5');
    now += 60_000;
    const result = await desk({ script, store: disk, log, hooks: [ask] }).agent.resume({
      threadId: 't',
    });
    expect(result.status).toBe('completed');
    expect(log.filter((entry) => entry === 'pay 5')).toHaveLength(1);
  });

  test('L2: three crashes during one model call end the turn', async () => {
    let now = 1_000;
    const disk = memoryStore({ now: () => now });
    const first = desk({ script, store: dyingStore(disk, 1) });
    await first.agent.run({ threadId: 't', message: 'go' }).catch((error: unknown) => error);
    for (const expected of ['failed', 'failed', 'failed']) {
      now += 60_000;
      const next = desk({ script, store: dyingStore(disk, 1) });
      const result = await next.agent.resume({ threadId: 't' }).catch(() => ({ status: 'failed' }));
      expect(result.status).toBe(expected);
    }
    const stored = await disk.load('t');
    expect(stored?.state['phase']).toMatchObject({
      name: 'finished',
      outcome: { status: 'failed', error: { code: 'attempts-exhausted' } },
    });
  });
});

describe('L8: a call that waited for another is known not to have started', () => {
  const two = (request: ModelRequest) =>
    request.messages.at(-1)?.role === 'tool'
      ? 'done'
      : { toolCalls: [callPay(5), callPay(6), callPay(7)] };

  test('L8: after a crash in the first call, the first is unknown and the others run', async () => {
    let now = 1_000;
    const disk = memoryStore({ now: () => now });
    const log: string[] = [];
    const first = desk({ script: [two], store: dyingStore(disk, 2), log });
    await first.agent.run({ threadId: 't', message: 'go' }).catch((error: unknown) => error);
    expect(log.filter((entry) => entry.startsWith('pay'))).toEqual(['pay 5']);
    now += 60_000;
    const second = desk({ script: [two, two], store: disk, log });
    const result = await second.agent.resume({ threadId: 't' });
    expect(result.status).toBe('completed');
    expect(log.filter((entry) => entry.startsWith('pay'))).toEqual(['pay 5', 'pay 6', 'pay 7']);
    const outcomes = result.messages.flatMap(toolResultsOf).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(['unknown', 'succeeded', 'succeeded']);
  });

  test('L8: after a crash between two calls, the outcome of the first is kept', async () => {
    let now = 1_000;
    const disk = memoryStore({ now: () => now });
    const log: string[] = [];
    const first = desk({ script: [two], store: dyingStore(disk, 3), log });
    await first.agent.run({ threadId: 't', message: 'go' }).catch((error: unknown) => error);
    now += 60_000;
    const second = desk({ script: [two, two], store: disk, log });
    const result = await second.agent.resume({ threadId: 't' });
    const outcomes = result.messages.flatMap(toolResultsOf).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(['succeeded', 'unknown', 'succeeded']);
    expect(log.filter((entry) => entry.startsWith('pay'))).toEqual(['pay 5', 'pay 6', 'pay 7']);
  });
});
