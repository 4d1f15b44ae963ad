import { type AgentEvent, defineHooks } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { MODES } from '../../acceptance/modes.ts';
import { askFirst, callClerk, callThen, often, team, yesTo } from './team.ts';

const script = often(callThen('desk: done', callClerk()));
const seen = ({ threadId, type, agentPath = [] }: AgentEvent) =>
  [threadId, ...agentPath, type].join(' ');

describe('events of a subagent', () => {
  test('are told within its call, in order, with the agents above', async () => {
    const { desk } = team({ desk: { script } });
    const heard: string[] = [];
    desk.on('*', (event) => heard.push(seen(event)));
    await desk.run({ threadId: 't', message: 'go' });
    const first = heard.indexOf('t/1.1.0 desk turn.started');
    const last = heard.indexOf('t/1.1.0 desk turn.finished');
    expect(heard[first - 1]).toBe('t tool.started');
    expect(heard[last + 1]).toBe('t tool.succeeded');
    expect(heard.slice(first, last + 1).every((one) => one.startsWith('t/1.1.0 desk '))).toBe(true);
    expect(heard.filter((one) => one === 't turn.finished')).toHaveLength(1);
  });

  test('are in the stream of the run above, also over a pause', async () => {
    const { desk } = team({ desk: { script }, clerk: { hooks: [askFirst] } });
    const read = async (stream: AsyncIterable<AgentEvent>) => {
      const events: string[] = [];
      for await (const event of stream) events.push(seen(event));
      return events;
    };
    const first = desk.stream({ threadId: 't', message: 'go' });
    const before = await read(first);
    expect(before.at(-1)).toBe('t/1.1.0 desk approval.requested');
    const second = desk.streamResume({ threadId: 't', answers: yesTo(await first.result) });
    const after = await read(second);
    expect(after[0]).toBe('t/1.1.0 desk approval.answered');
    expect(after).toContain('t/1.1.0 desk turn.finished');
    expect(after.at(-1)).toBe('t turn.finished');
  });

  test('hold no piece of its answer, even where the run above is live', async () => {
    const { desk } = team({ desk: { script, more: { streaming: 'live' } } });
    const deltas: string[] = [];
    for await (const event of desk.stream({ message: 'go' }))
      if (event.type === 'llm.delta') deltas.push(event.threadId);
    expect(deltas.length).toBeGreaterThan(0);
    expect(deltas.some((threadId) => threadId.includes('/'))).toBe(false);
  });

  test('are heard by those who watch the subagent, and by the policies of both', async () => {
    const told: string[] = [];
    const watcher = (name: string) =>
      defineHooks({
        name,
        events: ['turn.finished'],
        onEvent: ({ threadId }) => void told.push(`${name} ${threadId}`),
      });
    const { desk, clerk } = team({
      desk: { script, hooks: [watcher('of-desk')] },
      clerk: { hooks: [watcher('of-clerk')] },
    });
    clerk.on('turn.finished', ({ threadId }) => told.push(`on clerk ${threadId}`));
    desk.on('turn.finished', ({ threadId }) => told.push(`on desk ${threadId}`));
    await desk.run({ threadId: 't', message: 'go' });
    expect(told.toSorted()).toEqual([
      'of-clerk t/1.1.0',
      'of-desk t',
      'of-desk t/1.1.0',
      'on clerk t/1.1.0',
      'on desk t',
      'on desk t/1.1.0',
    ]);
  });

  test('are stored on its own thread, whose numbers never restart', async () => {
    const { desk, store } = team({ desk: { script }, clerk: { hooks: [askFirst] } });
    const paused = await desk.run({ threadId: 't', message: 'go' });
    await desk.resume({ threadId: 't', answers: yesTo(paused) });
    const own = await store.readEvents('t/1.1.0');
    expect(own.map(({ seq }) => seq)).toEqual(own.map((_event, index) => index + 1));
    expect(own.every(({ agentPath }) => agentPath?.join() === 'desk')).toBe(true);
    expect((await store.readEvents('t')).some(({ agentPath }) => agentPath)).toBe(false);
  });
});

describe.each(MODES)('row 26: by $name, subagents', ({ turn }) => {
  test('run, wait and are answered the same', async () => {
    const { desk, log } = team({ clerk: { hooks: [askFirst] } });
    const paused = await turn(desk, { threadId: 't', message: 'go' });
    expect(log).toEqual([]);
    const result = await desk.resume({ threadId: 't', answers: yesTo(paused) });
    expect(result).toMatchObject({ status: 'completed', text: 'desk: done' });
    expect(log).toEqual(['pay 5']);
  });
});
