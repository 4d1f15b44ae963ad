import { createInterface, type Interface } from 'node:readline/promises';
import {
  type Agent,
  type Approval,
  type ApprovalAnswer,
  memoryStore,
  type RunResult,
} from 'agent-hooks';
import { fromAiSdk } from 'agent-hooks/models/ai-sdk';
import { airlineAgent } from './agent.ts';
import { narrate, paint } from './narrate.ts';
import { recordedDesk } from './recorded-desk.ts';
import type { Airline } from './tools.ts';

const HELP = `You are the customer; an empty line ends it. The tools answer from the recorded data, and nothing is
written. Try: "I am anya_garcia_5901. Please cancel 3RK2T9, I booked it ten hours ago."`;

/** Talks to a model of OpenAI. You also answer the confirmations, for the airline. Returns the exit code. */
export async function live(): Promise<number> {
  if (!process.env['OPENAI_API_KEY']) {
    console.error('Set OPENAI_API_KEY. OPENAI_MODEL names another model than gpt-4o.');
    return 2;
  }
  const { createOpenAI } = await import('@ai-sdk/openai');
  const openai = createOpenAI();
  const model = fromAiSdk(openai(process.env['OPENAI_MODEL'] ?? 'gpt-4o'));
  const agent = airlineAgent({ model, store: memoryStore() });
  agent.on('*', (event) => {
    const line = narrate(event, { dimmed: false });
    if (line !== undefined) console.log(line);
  });
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  console.log(HELP);
  try {
    return await converse(agent, asker(terminal));
  } finally {
    terminal.close();
  }
}

type Ask = (prompt: string) => Promise<string>;

/** Line by line, so that what is piped in at once is not lost; an empty line when there is no more. */
function asker(terminal: Interface): Ask {
  const lines = terminal[Symbol.asyncIterator]();
  return async (prompt) => {
    process.stdout.write(prompt);
    const line = await lines.next();
    return line.done ? '' : line.value.trim();
  };
}

async function converse(agent: Agent<Airline>, ask: Ask): Promise<number> {
  const thread = { threadId: 'live', context: recordedDesk() };
  for (;;) {
    const message = await ask(paint('bold', '\nyou: '));
    if (message === '') return 0;
    let result = await agent.run({ ...thread, message });
    while (result.status === 'awaiting-approval') {
      const answers: ApprovalAnswer[] = [];
      for (const approval of result.approvals) answers.push(await decide(ask, approval));
      result = await agent.resume({ ...thread, answers });
    }
    if (!show(result)) return 1;
  }
}

async function decide(ask: Ask, approval: Approval): Promise<ApprovalAnswer> {
  const prompts = approval.requirements.map(({ prompt }) => prompt).join(' ');
  const approved = /^y(es)?$/i.test(await ask(`${paint('yellow', prompts)} [y/N] `));
  return { approvalId: approval.approvalId, approved, by: 'airline desk' };
}

/** False when the conversation cannot go on. */
function show(result: RunResult): boolean {
  if (result.status === 'completed') {
    console.log(`${paint('bold', 'agent:')} ${result.text}`);
    return true;
  }
  const cause = result.status === 'failed' ? `: ${result.error.message}` : '';
  console.error(`The turn ended ${result.status}${cause}`);
  return false;
}
