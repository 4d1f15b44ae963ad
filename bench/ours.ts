import {
  type Agent,
  type AgentHooks,
  createAgent,
  defineHooks,
  type Message,
  memoryStore,
  RequestDecision,
  ResponseDecision,
  type ThreadStore,
  ToolDecision,
  type ToolPort,
  tool,
} from 'agent-hooks';
import { weatherModel } from './model.ts';
import {
  type Contender,
  type Guards,
  guardsOf,
  lookUp,
  QUESTION,
  SYSTEM,
  type Turn,
  type Work,
  weatherInput,
} from './work.ts';

/** agent-hooks on a store in memory, made anew whenever an agent is. */
export const contender: Contender = {
  name: 'memory',
  prepare: (work) => prepareOurs(work, memoryStore()),
};

let threads = 0;

/** Turns of one agent, each on a thread of its own. */
export function prepareOurs(work: Work, store: ThreadStore): Turn {
  const agent = buildAgent(work, store, 0);
  return () => {
    threads += 1;
    return runOurs(agent, `t${threads}`, work.steps);
  };
}

/** Turns of one agent, each on a thread that has this history already. */
export async function prepareAfterHistory(
  work: Work,
  history: readonly Message[],
  turns: number,
): Promise<Turn> {
  const store = memoryStore();
  await runOurs(buildAgent({ ...work, steps: 1 }, store, 0), 'first', 1);
  const ended = await store.load('first');
  if (ended === undefined) throw new Error('the first thread was not stored');
  for (let turn = 0; turn < turns; turn += 1) {
    const threadId = `h${turn}`;
    const { token } = await store.claim(threadId, { holder: 'bench', ttlMs: 60_000 });
    const state = { ...ended.state, threadId };
    const nothing = { events: [], ledger: [], approvals: [], memory: {}, artifacts: [] };
    await store.commit(threadId, token, 0, { ...nothing, state, messages: history });
    await store.release(threadId, token);
  }
  const agent = buildAgent(work, store, history.length);
  let next = 0;
  return () => runOurs(agent, `h${next++}`, work.steps);
}

export function buildAgent(work: Work, store: ThreadStore, history: number): Agent {
  const guards = guardsOf(work.guards);
  return createAgent({
    name: 'bench',
    model: weatherModel(work, history),
    instructions: SYSTEM,
    tools: [weather],
    hooks: guards === undefined ? [] : policies(guards),
    limits: { steps: work.steps + 1 },
    store,
  });
}

export async function runOurs(agent: Agent, threadId: string, steps: number): Promise<string> {
  const result = await agent.run({ threadId, message: QUESTION });
  if (result.status !== 'completed' || result.steps !== steps) {
    throw new Error(`${threadId}: ${result.status} after ${result.steps} steps`);
  }
  return result.text;
}

export const weather: ToolPort = tool({
  name: 'weather',
  description: 'The weather of a city',
  inputSchema: weatherInput,
  sideEffects: 'none',
  execute: lookUp,
});

function policies(guards: Guards): readonly AgentHooks[] {
  return [
    defineHooks({
      name: 'request',
      preLlmRequest: async (request) =>
        (await guards.request(request)) ? RequestDecision.proceed() : RequestDecision.block('bad'),
    }),
    defineHooks({
      name: 'response',
      onLlmResponse: async (response) =>
        (await guards.response(response.text))
          ? ResponseDecision.accept()
          : ResponseDecision.block('card'),
    }),
    defineHooks({
      name: 'tool',
      preToolUse: async (invocation) =>
        (await guards.tool(invocation.toolName)) ? ToolDecision.allow() : ToolDecision.block('no'),
    }),
  ];
}
