import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import {
  AgentHooksError,
  type AgentOptions,
  ConfigError,
  createAgent,
  type JsonObject,
  memoryStore,
  Policy,
  StoreVersionError,
  scriptedModel,
  type ThreadStore,
  ToolDecision,
  UnknownThreadError,
} from '../../src/index.ts';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import { tempFiles } from '../stores/temp-files.ts';
import { echoTool } from './echo.ts';

const newPath = tempFiles();

class Guard extends Policy {
  override preToolUse(): ToolDecision {
    return ToolDecision.block('no');
  }
}

/** What TypeScript would refuse, as somebody without it writes it. */
function build(options: object): () => unknown {
  return () => createAgent({ name: 'a', model: scriptedModel(['hi']), ...options } as AgentOptions);
}

/** The error and its three parts: where, what, and what to do. */
async function errorOf(attempt: () => unknown): Promise<AgentHooksError> {
  try {
    await attempt();
  } catch (error) {
    if (!AgentHooksError.isInstance(error)) throw error;
    expect(error.message).toMatch(/^[^:]+: .+\. .+/s);
    return error;
  }
  return expect.unreachable('it was accepted');
}

function agentOn(store = memoryStore()) {
  const model = scriptedModel(['hi', 'hi']);
  const { tool, ran } = echoTool();
  return { model, ran, store, agent: createAgent({ name: 'a', model, store, tools: [tool] }) };
}

describe('createAgent refuses', () => {
  test.each<[string, object, string, RegExp]>([
    [
      'a policy with a misspelled hook, and names the one that was meant',
      { hooks: [{ preToolUze: () => ToolDecision.block('no') }] },
      'unknown-hook',
      /hooks\[0\].*preToolUze.*Did you mean 'preToolUse'/,
    ],
    [
      'a hook in the spelling of another language',
      { hooks: [{ pre_tool_use: () => ToolDecision.block('no') }] },
      'unknown-hook',
      /pre_tool_use.*preToolUse/,
    ],
    ['a policy without a hook', { hooks: [{ check: () => 1 }] }, 'no-hooks', /implements no hook/],
    [
      'a class in the place of a policy',
      { hooks: [Guard] },
      'uncalled-factory',
      /new MyPolicy\(\)/,
    ],
    [
      'two policies of one name',
      { hooks: [new Guard(), new Guard()] },
      'duplicate-policy',
      /hooks\[0\] and hooks\[1\].*'Guard'/,
    ],
    [
      'two tools of one name',
      { tools: [echoTool().tool, echoTool().tool] },
      'duplicate-tool',
      /tool 'echo'.*Rename/,
    ],
    ['what is no tool', { tools: [{ name: 'echo' }] }, 'invalid-tool', /tools\[0\]/],
    ['an option nobody knows', { hoks: [] }, 'unknown-option', /'hoks'.*Did you mean 'hooks'/],
    [
      'a limit that is no count',
      { limits: { steps: Number.NaN } },
      'invalid-option',
      /limits\.steps/,
    ],
    ['a cap of none', { maxResponseRetries: 0 }, 'invalid-option', /maxResponseRetries/],
    ['a lease shorter than its heartbeat', { leaseMs: 1 }, 'invalid-option', /'leaseMs'.* 100/],
    ['a lease that is no number', { leaseMs: Number.NaN }, 'invalid-option', /'leaseMs'/],
    ['what is no model', { model: { id: 'm' } }, 'invalid-option', /'model'.*generate/],
    ['what is no store', { store: {} }, 'invalid-option', /'store'/],
  ])('%s', async (...row) => {
    const [, options, code, message] = row;
    const error = await errorOf(build(options));
    expect(error).toBeInstanceOf(ConfigError);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });

  test('twin: the same agent without the fault is built', () => {
    expect(
      build({ hooks: [new Guard()], tools: [echoTool().tool], limits: { steps: 1 } }),
    ).not.toThrow();
  });
});

describe('a thread function refuses, before anything has run', () => {
  test.each<[string, (agent: ReturnType<typeof agentOn>['agent']) => unknown, string, RegExp]>([
    [
      'an empty thread id',
      (a) => a.run({ threadId: '', message: 'x' }),
      'invalid-input',
      /threadId/,
    ],
    ['no message', (a) => a.run({ threadId: 't' } as never), 'invalid-input', /message/],
    [
      "an assistant's message",
      (a) => a.run({ message: { role: 'assistant', content: [] } as never }),
      'invalid-input',
      /role/,
    ],
    [
      'a misspelled input',
      (a) => a.run({ message: 'x', thread: 't' } as never),
      'unknown-option',
      /agent\.run.*'thread'/,
    ],
    ['a step of an unknown thread', (a) => a.runStep({ threadId: 'x' }), 'unknown-thread', /'x'/],
    ['a resume of an unknown thread', (a) => a.resume({ threadId: 'x' }), 'unknown-thread', /'x'/],
    ['a cancel of an unknown thread', (a) => a.cancel('x'), 'unknown-thread', /'x'/],
    [
      'an answer whose yes is no boolean',
      (a) =>
        a.resume({
          threadId: 't',
          answers: [{ approvalId: 'a', approved: 'no', by: 'x' }] as never,
        }),
      'invalid-input',
      /agent\.resume: answers.*0\.approved/,
    ],
    [
      'an answer of nobody',
      (a) => a.resume({ threadId: 't', answers: [{ approvalId: 'a', approved: true, by: '' }] }),
      'invalid-input',
      /has to say who answers/,
    ],
    [
      'a pattern that means no event',
      (a) => a.on('tols.*' as never, () => undefined),
      'invalid-pattern',
      /tols/,
    ],
  ])('%s', async (...row) => {
    const [, attempt, code, message] = row;
    const { agent, model, store } = agentOn();
    const error = await errorOf(() => attempt(agent));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
    expect(model.calls).toBe(0);
    expect(await store.listThreads()).toEqual([]);
  });

  test('an answer when no approval is open, and going on with a turn that has ended', async () => {
    const { agent, model } = agentOn();
    await agent.run({ threadId: 't', message: 'go' });
    const answers = [{ approvalId: 'made-up', approved: true, by: 'ann' }];
    const unknown = await errorOf(() => agent.resume({ threadId: 't', answers }));
    expect(unknown.code).toBe('approval-unknown');
    const ended = await errorOf(() => agent.runStep({ threadId: 't' }));
    expect(ended.code).toBe('nothing-to-continue');
    expect(model.calls).toBe(1);
  });

  test('an unknown thread is still free afterwards: a message begins it', async () => {
    const { agent } = agentOn();
    await expect(agent.resume({ threadId: 't' })).rejects.toBeInstanceOf(UnknownThreadError);
    expect(await agent.run({ threadId: 't', message: 'go' })).toMatchObject({
      status: 'completed',
    });
  });
});

describe('what a newer version wrote', () => {
  test('a store is refused before it is opened for writing', async () => {
    const path = newPath();
    await sqliteStore({ path }).close?.();
    const database = new DatabaseSync(path);
    database.exec('PRAGMA user_version = 999');
    database.close();
    const error = await errorOf(() => sqliteStore({ path }));
    expect(error).toBeInstanceOf(StoreVersionError);
    expect(error.message).toMatch(/format 999.*Update agent-hooks/);
  });

  test('a thread is refused before anything has run, and the others go on', async () => {
    const { agent, model, store } = agentOn();
    await writeState(store, { format: 2, place: 'a shape of its own' });
    const before = await store.load('t');
    const error = await errorOf(() => agent.run({ threadId: 't', message: 'go' }));
    expect(error).toBeInstanceOf(StoreVersionError);
    expect(error.message).toMatch(/thread 't'.*format 2/);
    expect(model.calls).toBe(0);
    expect(await store.load('t')).toEqual(before);
    expect(await agent.run({ threadId: 'other', message: 'go' })).toMatchObject({
      status: 'completed',
    });
  });

  test.each<[string, object]>([
    ['without a format', { phase: { name: 'finished' } }],
    ['without a phase', { format: 1 }],
    ['with a format of another kind', { format: '1', phase: { name: 'finished' } }],
    ['with a format before the first', { format: 0, phase: { name: 'finished' } }],
    ['with a phase nobody knows', { format: 1, phase: { name: 'dreaming' } }],
  ])('a thread %s is refused as damaged', async (_case, state) => {
    const { agent, model, store } = agentOn();
    await writeState(store, state as JsonObject);
    const error = await errorOf(() => agent.run({ threadId: 't', message: 'go' }));
    expect(error.code).toBe('corrupt-record');
    expect(error.message).toMatch(/thread 't'/);
    expect(model.calls).toBe(0);
  });
});

/** Writes a thread in another state than this version would, as a newer or a broken process does. */
async function writeState(store: ThreadStore, state: JsonObject): Promise<void> {
  const { token } = await store.claim('t', { holder: 'someone', ttlMs: 1_000 });
  const nothing = {
    messages: [],
    events: [],
    ledger: [],
    approvals: [],
    memory: {},
    artifacts: [],
  };
  await store.commit('t', token, 0, { state, ...nothing });
  await store.release('t', token);
}
