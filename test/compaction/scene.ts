import {
  type AgentEvent,
  type AgentOptions,
  type CompactionOptions,
  createAgent,
  type Message,
  memoryStore,
  type ScriptEntry,
  type ScriptedModel,
  scriptedModel,
  type ThreadStore,
  textOf,
  tool,
} from 'agent-hooks';
import * as z from 'zod';

/** How a summary looks to the model. */
const HEAD = '[A summary of the conversation so far';

/** One token a character of text, so that a test can say in letters what it means. */
export function letters(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + bodyOf(message).length, 0);
}

function bodyOf(message: Message): string {
  const text = textOf(message);
  if (text.startsWith(HEAD)) return text.slice(text.indexOf('\n') + 1);
  return message.role === 'tool' ? message.content.map(({ output }) => output).join('') : text;
}

export interface Scene {
  readonly agent: ReturnType<typeof createAgent>;
  readonly model: ScriptedModel;
  /** Writes summaries; apart, so that a test counts them by themselves. */
  readonly writer: ScriptedModel;
  readonly store: ThreadStore;
  readonly heard: AgentEvent[];
}

/** An agent whose context is full at a hundred letters, of which it keeps the last twenty. */
export function scene(
  options: {
    readonly script: readonly ScriptEntry[];
    readonly summaries?: readonly ScriptEntry[];
    readonly compaction?: Partial<CompactionOptions> | false;
  } & Partial<Omit<AgentOptions, 'compaction'>>,
): Scene {
  const { script, summaries = [], compaction = {}, ...rest } = options;
  const store = rest.store ?? memoryStore();
  const model = scriptedModel(script, { strict: true });
  const writer = scriptedModel(summaries, { id: 'writer', strict: true });
  const agent = createAgent({
    name: 'desk',
    model,
    tools: [look],
    store,
    ...(compaction !== false && {
      compaction: {
        maxTokens: 100,
        keepTokens: 20,
        maxSummaryTokens: 50,
        model: writer,
        countTokens: letters,
        ...compaction,
      },
    }),
    ...rest,
  });
  const heard: AgentEvent[] = [];
  agent.on('*', (event) => void heard.push(event));
  return { agent, model, writer, store, heard };
}

const look = tool({
  name: 'look',
  description: 'Looks',
  inputSchema: z.object({ at: z.string().optional() }),
  sideEffects: 'none',
  execute: ({ at = 'seen' }) => at,
});

/** An answer of so many letters, whose provider counts none of its tokens. */
export function answer(text: string, tokens = 0): ScriptEntry {
  return { text, usage: { inputTokens: tokens, outputTokens: 0 } };
}

/** The user's turn and the answer to it, long enough to fill the context. */
export const LONG = 'a long question '.repeat(6);

/** What the model read, one line a message. */
export function read(model: ScriptedModel, call: number): readonly string[] {
  return (model.requests[call]?.messages ?? []).map((message) => {
    const body = bodyOf(message);
    return textOf(message).startsWith(HEAD) ? `summary: ${body}` : `${message.role}: ${body}`;
  });
}

export function typesOf(heard: readonly AgentEvent[], ...types: readonly string[]): string[] {
  return heard.map(({ type }) => type).filter((type) => types.includes(type));
}

/** The data that the summary was asked of. */
export function asked(writer: ScriptedModel, call = 0): Record<string, unknown> {
  const last = writer.requests[call]?.messages.at(-1);
  return last === undefined ? {} : JSON.parse(textOf(last));
}
