import {
  type Agent,
  agentTool,
  createAgent,
  defineHooks,
  exportThread,
  RequestDecision,
  ResponseDecision,
  type RunResult,
  scriptedModel,
  type ThreadStore,
  ToolDecision,
  ToolError,
  tool,
} from 'agent-hooks';
import * as z from 'zod';

/** What every text of a person, a model or a tool holds in these threads, and nothing else does. */
export const MARK = 'Zoë-4711';
export const NUMBER = 902_104_711;

const pay = tool({
  name: 'pay',
  description: 'Pays',
  inputSchema: z.object({ to: z.string(), euros: z.number() }),
  execute: ({ to }) => ({ paid: to, [`account of ${MARK}`]: NUMBER }),
  outputSchema: z.looseObject({ paid: z.string() }),
  assign: [{ field: 'payee', path: ['paid'] }],
});

const readPage = tool({
  name: 'read_page',
  description: 'Reads',
  inputSchema: z.object({ json: z.boolean() }),
  sideEffects: 'none',
  maxOutputBytes: 1_024,
  execute: ({ json }) => {
    const text = `${MARK} "${MARK}" `.repeat(100);
    return json ? { text, [MARK]: NUMBER } : text;
  },
});

const fail = tool({
  name: 'fail',
  description: 'Fails',
  inputSchema: z.object({}),
  sideEffects: 'none',
  execute: () => {
    throw new ToolError(`no such customer: ${MARK}`, { eventText: `lost ${MARK}` });
  },
});

const keeper = defineHooks({
  name: 'keeper',
  onUserMessage: (_message, ctx) => {
    ctx.memory.set(`seen ${MARK}`, { name: MARK, at: NUMBER });
  },
  // Recorded with a digest of the history.
  preLlmRequest: () => RequestDecision.proceed(),
  preToolUse: ({ toolName }) =>
    toolName === 'pay' ? ToolDecision.requiresConfirmation(`Pay ${MARK}?`) : undefined,
  onLlmResponse: ({ text }) => {
    if (text.startsWith('again')) return ResponseDecision.retryWithFeedback(`no ${MARK}`);
    return text.startsWith('stop') ? ResponseDecision.block(`it names ${MARK}`) : undefined;
  },
  onContextCompact: () => `They spoke of ${MARK}`,
});

const call = (name: string, input: object) => ({
  text: `I call for ${MARK}`,
  reasoning: `thinking of ${MARK}`,
  toolCalls: [{ name, input: { ...input } }],
});

const SCRIPT = [
  call('pay', { to: MARK, euros: 5 }),
  `paid ${MARK}`,
  {
    toolCalls: [
      { name: 'read_page', input: { json: true } },
      { name: 'read_page', input: { json: false } },
    ],
  },
  call('fail', {}),
  call('clerk', { task: `see to ${MARK}` }),
  { toolCalls: [{ name: 'pay', inputText: `{"to": "${MARK}` }] },
  `again ${MARK}`,
  // So much that the next turn begins with a summary.
  { text: `done for ${MARK}`, usage: { inputTokens: 70_000, outputTokens: 10 } },
  `stop ${MARK}`,
];

const STATE = z.object({ payee: z.string().optional(), customer: z.string().default('') });

/** The agent of the thread, in a process of its own. */
export function fullAgent(store: ThreadStore, script: readonly string[] | typeof SCRIPT = SCRIPT) {
  const clerk = createAgent({
    name: 'clerk',
    model: scriptedModel([
      { reasoning: MARK, toolCalls: [{ name: 'read_page', input: { json: false } }] },
      `the clerk saw ${MARK}`,
    ]),
    tools: [readPage],
    hooks: [keeper],
  });
  const model = scriptedModel([...script], { strict: true });
  const agent = createAgent({
    name: 'desk',
    model,
    tools: [
      pay,
      readPage,
      fail,
      agentTool(clerk, { name: 'clerk', description: 'Sees to things' }),
    ],
    hooks: [keeper],
    store,
    stateSchema: STATE,
    fallbacks: { response: `sorry, ${MARK}` },
    compaction: { maxTokens: 60_000, keepTokens: 10 },
  });
  return { agent, model };
}

const FILES = [
  { type: 'text', text: `I am ${MARK}` },
  { type: 'file', mediaType: 'text/plain', data: toBase64(`of ${MARK}`), filename: `${MARK}.txt` },
  { type: 'file', mediaType: 'image/png', url: `https://files.example/${MARK}.png` },
] as const;

/** Three turns with everything that can be kept of a thread: `t`, and `t/2.3.0` of its subagent. */
export async function makeFullThread(store: ThreadStore): Promise<Agent> {
  const { agent } = fullAgent(store);
  const state = { customer: MARK };
  const paused = await agent.run({
    threadId: 't',
    message: { role: 'user', content: FILES },
    state,
  });
  await agent.resume({ threadId: 't', answers: answersTo(paused) });
  await agent.run({ threadId: 't', message: `${MARK} again` });
  await agent.run({ threadId: 't', message: `and ${MARK} again` });
  return agent;
}

function answersTo(paused: RunResult) {
  if (paused.status !== 'awaiting-approval') throw new Error(`is ${paused.status}`);
  return paused.approvals.map(({ approvalId }) => ({
    approvalId,
    approved: true,
    by: `boss of ${MARK}`,
    reason: `I know ${MARK}`,
    input: { to: `dear ${MARK}`, euros: NUMBER },
  }));
}

export async function linesOf(store: ThreadStore, threadId = 't'): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of exportThread(store, threadId)) lines.push(line);
  return lines;
}

function toBase64(text: string): string {
  return Buffer.from(text).toString('base64');
}
