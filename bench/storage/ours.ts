import {
  type Agent,
  type ChatModel,
  createAgent,
  type Message,
  type ModelPart,
  type ThreadStore,
  type ToolPort,
  tool,
} from 'agent-hooks';
import type { Session, Size } from './contender.ts';
import { Meter } from './meter.ts';
import * as work from './work.ts';

/** How big a store is, and what goes when it has been closed. */
export interface Sizes {
  /** Default: nothing. */
  readonly settle?: () => Promise<void>;
  readonly before: () => Promise<Size>;
  readonly after: () => Promise<Size>;
  readonly close: () => Promise<void>;
}

/** agent-hooks on a store of its own. */
export function sessionOn(store: ThreadStore, sizes: Sizes): Session {
  const meter = new Meter();
  meter.attach(store, {
    claim: 'write',
    renew: 'write',
    release: 'write',
    commit: 'write',
    recordLate: 'write',
    load: 'read',
    readMessages: 'read',
    readEvents: 'read',
    readLedger: 'read',
    pendingApprovals: 'read',
  });
  const agents = new Map<number, Agent>();
  const agentFor = (history: number): Agent => {
    const agent = agents.get(history) ?? buildAgent(store, history);
    agents.set(history, agent);
    return agent;
  };
  return {
    meter,
    seed: (threadId, history) => seed(store, threadId, history),
    turn: (threadId, history) => runTurn(agentFor(history), threadId),
    settle: sizes.settle ?? (async () => undefined),
    before: sizes.before,
    after: sizes.after,
    close: async () => {
      await store.close?.();
      await sizes.close();
    },
  };
}

function buildAgent(store: ThreadStore, history: number): Agent {
  return createAgent({
    name: 'bench',
    model: modelAfter(history),
    instructions: work.SYSTEM,
    tools: [weather],
    limits: { steps: work.STEPS },
    store,
  });
}

async function runTurn(agent: Agent, threadId: string): Promise<string> {
  const result = await agent.run({ threadId, message: work.QUESTION });
  if (result.status !== 'completed' || result.steps !== work.STEPS) {
    const why = 'error' in result ? result.error : undefined;
    throw new Error(`${threadId}: ${result.status} after ${result.steps} steps`, { cause: why });
  }
  return result.text;
}

const weather: ToolPort = tool({
  name: 'weather',
  description: 'The weather of a city',
  inputSchema: work.weatherInput,
  sideEffects: 'none',
  execute: work.lookUp,
});

function modelAfter(history: number): ChatModel {
  return {
    id: 'weather',
    async generate({ messages }) {
      // The instructions are the first message.
      const spoken = work.spokenAfter(messages.length - 1, history);
      return {
        id: `msg_${messages.length}`,
        model: 'weather',
        content: parts(spoken),
        finishReason: spoken.call === undefined ? 'stop' : 'tool-calls',
        usage: work.USAGE,
      };
    },
    stream() {
      throw new Error('nothing is streamed here');
    },
  };
}

function parts({ text, call }: work.Spoken): ModelPart[] {
  const said: ModelPart = { type: 'text', text };
  if (call === undefined) return [said];
  const inputText = JSON.stringify({ city: call.city });
  return [said, { type: 'tool-call', call: { id: call.id, toolName: 'weather', inputText } }];
}

/** As an earlier turn leaves a thread: its state is that of a turn that has ended. */
async function seed(store: ThreadStore, threadId: string, history: number): Promise<void> {
  if (history === 0) return;
  const state = { ...(await endedState()), threadId };
  const { token } = await store.claim(threadId, { holder: 'seed', ttlMs: 60_000 });
  const nothing = { events: [], ledger: [], approvals: [], memory: {}, artifacts: [] };
  // The last one for itself: no turn pays for the room that an array takes when it grows out of what it had.
  const all = messages(history);
  for (const [version, part] of [all.slice(0, -1), all.slice(-1)].entries()) {
    await store.commit(threadId, token, version, { ...nothing, state, messages: part });
  }
  await store.release(threadId, token);
}

let ended: Awaited<ReturnType<ThreadStore['load']>>;

async function endedState(): Promise<NonNullable<typeof ended>['state']> {
  if (ended === undefined) {
    const { memoryStore } = await import('agent-hooks');
    const store = memoryStore();
    await runTurn(buildAgent(store, 0), 'first');
    ended = await store.load('first');
  }
  if (ended === undefined) throw new Error('the first thread was not stored');
  return ended.state;
}

const made = new Map<number, readonly Message[]>();

/** Made once: stores keep texts, or the frozen messages themselves. */
function messages(length: number): readonly Message[] {
  const known = made.get(length);
  if (known !== undefined) return known;
  const fresh = work.oldMessages(length).map(({ role, text }): Message => {
    const part = Object.freeze({ type: 'text', text } as const);
    return Object.freeze({ role, content: Object.freeze([part]) });
  });
  made.set(length, fresh);
  return fresh;
}
