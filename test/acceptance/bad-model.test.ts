import { describe, expect, test } from 'vitest';
import {
  type ChatModel,
  createAgent,
  ModelError,
  memoryStore,
  type RunResult,
} from '../../src/index.ts';
import { echoTool } from './echo.ts';
import { hear, ofType, readable, shown, transcript } from './evidence.ts';
import { CALL, FINISH, GOOD, PAID, SECRET, STREAMS, TEXT, UNPAID, USAGE } from './garbage.ts';
import { MODES } from './modes.ts';
import { rawModel } from './raw-model.ts';

const input = { threadId: 't', message: 'go' };
const NONE = { inputTokens: 0, outputTokens: 0 };

function agentOn(model: ChatModel) {
  const store = memoryStore();
  const { tool, ran } = echoTool();
  const agent = createAgent({ name: 'a', model, store, tools: [tool], streaming: 'hold' });
  return { agent, store, ran, heard: hear(agent) };
}

/** Nothing of the answer is anywhere, and the turn has ended with a typed error that says where it is wrong. */
async function expectRefused(
  { store, ran, heard }: ReturnType<typeof agentOn>,
  result: RunResult,
  message: RegExp,
): Promise<void> {
  if (result.status !== 'failed') expect.unreachable(`it ended ${result.status}`);
  const { error } = result;
  expect(error).toBeInstanceOf(ModelError);
  expect(error.code).toBe('invalid-response');
  expect(error.message).toMatch(message);
  expect(error.message).not.toContain(SECRET);
  expect(ran).toEqual([]);
  expect(transcript(await store.readMessages('t'))).toEqual(['user: go']);
  expect((await readable(store, 't')) + shown(heard)).not.toContain(SECRET);
  expect(ofType(heard, 'turn.finished')).toMatchObject([{ status: 'failed' }]);
}

describe.each(MODES.filter(({ name }) => name !== 'stream'))('a model ($name)', ({ turn }) => {
  const refused = (where: string): RegExp =>
    new RegExp(`^model 'raw': its answer .*${where}.*correct the ChatModel`, 's');

  test.each(UNPAID)('that answers %s fails the turn, and nothing of it is kept', async (...row) => {
    const [, given, where] = row;
    const built = agentOn(rawModel(given));
    const result = await turn(built.agent, input);
    await expectRefused(built, result, refused(where));
    expect(result.usage).toEqual(NONE);
  });

  test.each(PAID)('that answers %s fails the turn, and only its cost is kept', async (...row) => {
    const [, given, where] = row;
    const built = agentOn(rawModel(given));
    const result = await turn(built.agent, input);
    await expectRefused(built, result, refused(where));
    expect(result.usage).toEqual(USAGE);
  });

  test('twin: a good text is delivered, and a good call runs', async () => {
    const said = agentOn(rawModel(GOOD));
    const completed = { status: 'completed', text: SECRET, usage: USAGE };
    expect(await turn(said.agent, input)).toMatchObject(completed);
    const content = [TEXT, { type: 'tool-call', call: CALL }];
    const called = agentOn(rawModel({ ...GOOD, content, finishReason: 'tool-calls' }));
    await turn(called.agent, input);
    expect(called.ran[0]).toBe('hi');
  });

  test('that answered garbage leaves a thread that goes on with the next message', async () => {
    const { store, agent } = agentOn(rawModel(undefined));
    await turn(agent, input);
    const healthy = createAgent({ name: 'a', model: rawModel(GOOD), store });
    expect(await turn(healthy, input)).toMatchObject({ status: 'completed', turnId: '2' });
  });
});

describe('a model that streams', () => {
  const stream = MODES.find(({ name }) => name === 'stream') ?? expect.unreachable();

  test.each(STREAMS)('%s fails the turn, and nothing of it is kept or shown', async (...row) => {
    const [, parts, message] = row;
    const built = agentOn(rawModel(GOOD, parts));
    await expectRefused(built, await stream.turn(built.agent, input), message);
  });

  test('twin: a good stream is delivered', async () => {
    const built = agentOn(rawModel(undefined, [TEXT, FINISH]));
    const completed = { status: 'completed', text: SECRET, usage: USAGE };
    expect(await stream.turn(built.agent, input)).toMatchObject(completed);
  });
});

test('what a model gives stays its own: it is copied, and members nobody knows are left out', async () => {
  const part = { type: 'text', text: `hello \ud83d`, note: 'for the adapter only' };
  const { agent, store } = agentOn(rawModel({ ...GOOD, content: [part] }));
  await agent.run(input);
  expect(Object.isFrozen(part)).toBe(false);
  const [, answer] = await store.readMessages('t');
  expect(answer?.content).toEqual([{ type: 'text', text: 'hello \ufffd' }]);
});
