import { agentTool, createAgent, scriptedModel } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { agentOf, bodies, calling, heldTool, outcomes, turn } from './held-tools.ts';

const limit = { maxConcurrentTools: 1 };

describe('a call with a limit of its tool and one of its agent', () => {
  test('keeps no slot of its tool from other agents while its own agent is busy', async () => {
    const held = bodies();
    const look = heldTool(held, 'look', { maxConcurrent: 1 });
    const busy = agentOf('busy', [heldTool(held, 'slow'), look], limit);
    const first = busy.run({ message: 'go' });
    await turn();
    expect(held.seen.began).toEqual(['slow']);
    const other = agentOf('other', [look]).run({ message: 'go' });
    await turn();
    expect(held.seen.began).toEqual(['slow', 'look']);
    held.end('look');
    expect(outcomes(await other)).toEqual(['succeeded']);
    held.end('slow');
    await turn();
    held.end('look');
    expect(outcomes(await first)).toEqual(['succeeded', 'succeeded']);
  });

  test('keeps no agent waiting that another call of its own agent runs', async () => {
    const held = bodies();
    const look = heldTool(held, 'look', { maxConcurrent: 1 });
    const below = agentOf('below', [look]);
    const ask = heldTool(held, 'ask', { execute: () => below.run({ message: 'go' }) });
    const run = agentOf('above', [ask, look], limit).run({ message: 'go' });
    await turn();
    expect(held.seen.began).toEqual(['look']);
    held.end('look');
    await turn();
    expect(held.seen.began).toEqual(['look', 'look']);
    held.end('look');
    expect(outcomes(await run)).toEqual(['succeeded', 'succeeded']);
  });

  test('takes both as soon as both are free, also when one call gives both back', async () => {
    const held = bodies();
    const look = heldTool(held, 'look', { maxConcurrent: 1 });
    const [ours, theirs] = [agentOf('ours', [look], limit), agentOf('theirs', [look], limit)];
    const runs = [];
    for (const [agent, threadId] of [
      [ours, '1'],
      [ours, '2'],
      [theirs, '3'],
    ] as const) {
      runs.push(agent.run({ threadId, message: 'go' }).then(() => done.push(threadId)));
      await turn();
    }
    const done: string[] = [];
    for (let n = 1; n <= 3; n += 1) {
      expect(held.seen.now).toBe(1);
      held.next();
      await turn();
      expect(done).toHaveLength(n);
    }
    await Promise.all(runs);
    expect(done).toEqual(['1', '2', '3']);
  });

  test('a cancel of one that waits for its tool gives back what it kept of its agent', async () => {
    const held = bodies();
    const look = heldTool(held, 'look', { maxConcurrent: 1 });
    const slow = heldTool(held, 'slow');
    const ours = createAgent({
      name: 'ours',
      model: scriptedModel([calling('slow'), calling('look'), 'done', calling('slow')]),
      tools: [look, slow],
      ...limit,
    });
    const first = ours.run({ threadId: '1', message: 'go' });
    await turn();
    const second = ours.run({ threadId: '2', message: 'go' });
    await turn();
    const other = agentOf('other', [look]).run({ message: 'go' });
    await turn();
    expect(held.seen.began).toEqual(['slow', 'look']);
    // The second has missed a turn with its tool, and keeps the slot of its agent from now on.
    held.end('slow');
    expect(outcomes(await first)).toEqual(['succeeded']);
    const third = ours.run({ threadId: '3', message: 'go' });
    await turn();
    expect(held.seen.began).toEqual(['slow', 'look']);
    expect((await ours.cancel('2')).status).toBe('cancelled');
    expect(outcomes(await second)).toEqual(['cancelled']);
    await turn();
    expect(held.seen.began).toEqual(['slow', 'look', 'slow']);
    held.end('slow');
    held.end('look');
    expect(outcomes(await third)).toEqual(['succeeded']);
    expect(outcomes(await other)).toEqual(['succeeded']);
  });
});

describe('an `execute` that comes back to a limit whose slot it holds', () => {
  for (const given of ['its tool', 'its agent'] as const) {
    test(`waits for itself until its time is over: ${given}`, async () => {
      const held = bodies();
      let inner: string[] = [];
      const ask = heldTool(held, 'ask', {
        timeoutMs: 50,
        ...(given === 'its tool' && { maxConcurrent: 1 }),
        execute: ((_input: object, { signal }: { readonly signal: AbortSignal }) =>
          again()
            .run({ message: 'again', signal })
            .then((result) => {
              inner = outcomes(result);
              return {};
            })) as never,
      });
      const look = heldTool(held, 'look');
      const above = createAgent({
        name: 'above',
        model: scriptedModel([calling('ask'), calling('look'), 'done', 'done']),
        tools: [ask, look],
        ...(given === 'its agent' && limit),
      });
      const again = () => (given === 'its tool' ? agentOf('below', [ask]) : above);
      expect(outcomes(await above.run({ message: 'go' }))).toEqual(['failed']);
      await turn();
      expect(inner).toEqual(['cancelled']);
      expect(held.seen.began).toEqual([]);
      // Its slot is free again.
      const after = above.run({ message: 'go' });
      await turn();
      expect((await after).status).toBe('completed');
    });
  }

  test('as a subagent it holds none, and does not wait', async () => {
    const held = bodies();
    const look = heldTool(held, 'look', { maxConcurrent: 1, execute: () => ({}) });
    const below = agentOf('below', [look], limit);
    const above = createAgent({
      name: 'above',
      model: scriptedModel([
        {
          toolCalls: [
            { name: 'below', input: { task: 'go' } },
            { name: 'look', input: {} },
          ],
        },
        'done',
      ]),
      tools: [agentTool(below, { name: 'below', description: 'Looks' }), look],
      ...limit,
    });
    expect(outcomes(await above.run({ message: 'go' }))).toEqual(['succeeded', 'succeeded']);
  });
});
