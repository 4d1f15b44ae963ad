import { setTimeout as sleep } from 'node:timers/promises';
import { type AgentEvent, createAgent, type RunStream, scriptedModel } from 'agent-hooks';
import { expect, test } from 'vitest';

const start = (text: string): RunStream =>
  createAgent({ name: 'a', model: scriptedModel([text], { chunkSize: 1 }) }).stream({
    message: 'go',
  });

async function read(stream: RunStream): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

test('two readers of one stream get the same events', async () => {
  const stream = start('hello');
  const [one, two] = await Promise.all([read(stream), read(stream)]);
  expect(one.map(({ type }) => type)).toContain('turn.finished');
  expect(two).toEqual(one);
});

test('a reader that comes when all is over gets every event, and so does the next one', async () => {
  const stream = start('hello');
  await stream.result;
  const late = await read(stream);
  expect(late[0]?.type).toBe('turn.started');
  expect(late.at(-1)?.type).toBe('turn.finished');
  expect(await read(stream)).toEqual(late);
});

test('the run waits for the slower of two readers, until it leaves', async () => {
  const stream = start('x'.repeat(500));
  const slow = stream[Symbol.asyncIterator]();
  await slow.next();
  const fast: AgentEvent[] = [];
  const reading = (async () => {
    for await (const event of stream) fast.push(event);
  })();
  await sleep(50);
  expect(fast.length).toBeGreaterThan(50);
  expect(fast.length).toBeLessThan(100);
  await slow.return?.();
  await reading;
  expect(fast.filter(({ type }) => type === 'llm.delta')).toHaveLength(500);
});
