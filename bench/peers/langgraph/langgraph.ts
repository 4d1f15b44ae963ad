import { AIMessage, type BaseMessage, HumanMessage, SystemMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import {
  END,
  MessagesDeltaValue,
  MessagesValue,
  START,
  StateGraph,
  StateSchema,
} from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import type { Session, Size, StorageContender, StorageName } from '../../storage/contender.ts';
import { Meter } from '../../storage/meter.ts';
import { SqliteFile } from '../../storage/sqlite-file.ts';
import * as work from '../../storage/work.ts';

/** What a variant differs in. */
interface Variant {
  readonly name: StorageName;
  /** What the database is told; the saver itself enters WAL. Default: nothing, as the documentation shows it. */
  readonly synchronous?: 'FULL';
  readonly durability: 'async' | 'sync';
  readonly messages: typeof MessagesValue | typeof MessagesDeltaValue;
}

const VARIANTS: readonly Variant[] = [
  { name: 'langgraph', durability: 'async', messages: MessagesValue },
  { name: 'langgraph-full', synchronous: 'FULL', durability: 'sync', messages: MessagesValue },
  {
    name: 'langgraph-delta',
    synchronous: 'FULL',
    durability: 'sync',
    messages: MessagesDeltaValue,
  },
];

/** LangGraph's own loop, with its tool node and its saver on one file. */
export const contenders: readonly StorageContender[] = VARIANTS.map((variant) => ({
  name: variant.name,
  open: async () => openSession(variant),
  settings: async () => settingsOf(variant),
}));

function openSession(variant: Variant): Session {
  const file = new SqliteFile();
  const saver = openSaver(variant, file);
  const meter = new Meter();
  meter.attach(saver, { put: 'write', putWrites: 'write', getTuple: 'read' });
  const graphs = new Map<number, Graph>();
  const graphAfter = (history: number): Graph => {
    const graph = graphs.get(history) ?? buildGraph(variant, saver, history);
    graphs.set(history, graph);
    return graph;
  };
  return {
    meter,
    seed: async (threadId, history) => {
      if (history === 0) return;
      const messages = work
        .oldMessages(history)
        .map(({ role, text }) => (role === 'user' ? new HumanMessage(text) : new AIMessage(text)));
      await graphAfter(history).updateState(configOf(threadId), { messages }, 'model');
    },
    turn: (threadId, history) => runTurn(graphAfter(history), variant, threadId),
    settle: async () => {
      saver.db.pragma('wal_checkpoint(TRUNCATE)');
    },
    before: async () => {
      const now = sizeOf(saver, 0);
      // From here on the log only grows, so its length is what was written.
      saver.db.pragma('wal_autocheckpoint = 0');
      return now;
    },
    after: async () => sizeOf(saver, file.logged),
    close: async () => {
      saver.db.close();
      file.remove();
    },
  };
}

function openSaver({ synchronous }: Variant, file: SqliteFile): SqliteSaver {
  const saver = SqliteSaver.fromConnString(file.path);
  // Makes its tables, and enters WAL.
  Reflect.apply(Reflect.get(saver, 'setup'), saver, []);
  if (synchronous !== undefined) saver.db.pragma(`synchronous = ${synchronous}`);
  return saver;
}

type Graph = ReturnType<typeof buildGraph>;

function buildGraph({ messages }: Variant, checkpointer: SqliteSaver, history: number) {
  const State = new StateSchema({ messages });
  const callModel = async (state: { readonly messages: BaseMessage[] }) => {
    const request = [new SystemMessage(work.SYSTEM), ...state.messages];
    return { messages: [answer(work.spokenAfter(request.length - 1, history))] };
  };
  return new StateGraph(State)
    .addNode('model', callModel)
    .addNode('tools', new ToolNode([weather]))
    .addEdge(START, 'model')
    .addConditionalEdges('model', ({ messages }) => (asksForTools(messages) ? 'tools' : END), [
      'tools',
      END,
    ])
    .addEdge('tools', 'model')
    .compile({ checkpointer });
}

function asksForTools(messages: readonly BaseMessage[]): boolean {
  const last = messages.at(-1);
  return AIMessage.isInstance(last) && (last.tool_calls?.length ?? 0) > 0;
}

const weather = tool(async (input) => JSON.stringify(await work.lookUp(input)), {
  name: 'weather',
  description: 'The weather of a city',
  schema: work.weatherInput,
});

function answer({ text, call }: work.Spoken): AIMessage {
  const calls =
    call === undefined ? [] : [{ id: call.id, name: 'weather', args: { city: call.city } }];
  return new AIMessage({ content: text, tool_calls: calls });
}

async function runTurn(graph: Graph, { durability }: Variant, threadId: string): Promise<string> {
  const question = { messages: [new HumanMessage(work.QUESTION)] };
  const options = { ...configOf(threadId), durability, recursionLimit: 3 * work.STEPS };
  const { messages } = await graph.invoke(question, options);
  return messages.at(-1)?.text ?? '';
}

function configOf(threadId: string): { readonly configurable: { readonly thread_id: string } } {
  return { configurable: { thread_id: threadId } };
}

function sizeOf({ db }: SqliteSaver, logged: number): Size {
  db.pragma('wal_checkpoint(TRUNCATE)');
  const number = (name: string): number => Number(db.pragma(name, { simple: true }));
  const rows = ['checkpoints', 'writes'].map((table) =>
    Number(db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()),
  );
  return {
    stored: (number('page_count') - number('freelist_count')) * number('page_size'),
    logged,
    rows: rows.reduce((sum, count) => sum + count, 0),
  };
}

function settingsOf(variant: Variant): string {
  const file = new SqliteFile();
  const { db } = openSaver(variant, file);
  const one = (name: string): unknown => db.pragma(name, { simple: true });
  const levels = ['OFF', 'NORMAL', 'FULL', 'EXTRA'];
  const said = `journal_mode = ${one('journal_mode')}, synchronous = ${levels[Number(one('synchronous'))]}`;
  const version = db.prepare('SELECT sqlite_version()').pluck().get();
  db.close();
  file.remove();
  return `${said}, durability = ${variant.durability}, SQLite ${version}`;
}
