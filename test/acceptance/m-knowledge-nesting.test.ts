import { describe, expect, test } from 'vitest';
import {
  createAgent,
  defineHooks,
  type HookContext,
  type ModelRequest,
  memoryStore,
  QueryDecision,
  ResultsDecision,
  type ScriptEntry,
  scriptedModel,
  type ThreadStore,
  ToolDecision,
} from '../../src/index.ts';
import { dyingStore } from '../loop/desk.ts';
import { answersTo } from './approve.ts';
import { AskFirst } from './ask-first.ts';
import { ask, foundIn, HANDBOOK, Library, lookUp, NOT_SEARCHED, ofType } from './library.ts';
import { counted, MODES, play } from './play.ts';
import { expectPairs, expectSound } from './traces.ts';

function tracing(trace: string[]) {
  return defineHooks({
    name: 'trace',
    preToolUse: ({ toolName }) => void trace.push(`toolCall ${toolName}`),
    wrapToolUse: async (invocation, next) => {
      trace.push(`around ${invocation.toolName}`);
      return next(invocation);
    },
    onKnowledgeQuery: ({ query }) => {
      trace.push(`query ${query}`);
      return QueryDecision.modify(`${query}!`);
    },
    onKnowledgeResults: ({ query, passages }) => {
      trace.push(`results ${query}`);
      return ResultsDecision.modify(passages.slice(0, 1));
    },
    postToolUse: ({ toolName }, { output }) =>
      void trace.push(`toolResult ${toolName} ${JSON.stringify(output)?.length}`),
  });
}

const oneFound = JSON.stringify({
  passages: HANDBOOK.slice(0, 1).map(({ text, source, scope, score }) => ({
    text,
    source,
    scope,
    score,
  })),
});

describe.each(MODES)('a search is a call like any other, in %s', (mode) => {
  test('M-126: toolCall, query, search, results, toolResult', async () => {
    const trace: string[] = [];
    const index = new Library((query) => {
      trace.push(`search ${query}`);
      return HANDBOOK;
    });
    await ask(mode, [tracing(trace)], { index });
    expect(trace).toEqual([
      'toolCall search_knowledge',
      'around search_knowledge',
      'query 42',
      'search 42!',
      'results 42!',
      `toolResult search_knowledge ${oneFound.length}`,
    ]);
  });

  test('M-126: of a batch every call is judged before any search begins', async () => {
    const trace: string[] = [];
    const look = counted('look', { sideEffects: 'none' });
    const model = scriptedModel([
      { toolCalls: [lookUp('a'), { name: 'look', input: {} }, lookUp('b')] },
      'ok',
    ]);
    const played = await play(mode, {
      model,
      tools: [look.tool],
      knowledge: new Library(),
      hooks: [tracing(trace)],
    });
    expect(trace.slice(0, 3)).toEqual([
      'toolCall search_knowledge',
      'toolCall look',
      'toolCall search_knowledge',
    ]);
    expect(trace.filter((line) => /^(query|results) /.test(line)).toSorted()).toEqual([
      'query a',
      'query b',
      'results a!',
      'results b!',
    ]);
    const queried = ofType(played.heard, 'knowledge.queried');
    expect(queried.map(({ callId }) => callId).toSorted()).toEqual(['1.1.0', '1.1.2']);
    await expectSound(played);
  });

  test('a Block of the call asks no index and nobody about the query', async () => {
    const trace: string[] = [];
    const closed = defineHooks({ name: 'closed', preToolUse: () => ToolDecision.block('closed') });
    const { index } = await ask(mode, [tracing(trace), closed]);
    expect([index.queries, trace]).toEqual([[], ['toolCall search_knowledge']]);
  });

  test('a search that a person approves is judged when it runs', async () => {
    const trace: string[] = [];
    const index = new Library();
    const { agent, result, store } = await ask(mode, [new AskFirst(), tracing(trace)], { index });
    expect([index.queries, trace.filter((line) => line.startsWith('query'))]).toEqual([[], []]);
    const done = await agent.resume({ threadId: 't', answers: answersTo(result, true) });
    expect(done.status).toBe('completed');
    expect(index.queries).toEqual(['42!']);
    expect(trace.filter((line) => /^(query|results)/.test(line))).toEqual([
      'query 42',
      'results 42!',
    ]);
    expect(foundIn(await store.readMessages('t'))).toMatchObject({ outcome: 'succeeded' });
  });

  test('a cancel at either point ends the turn cancelled at once, and the call with it', async () => {
    for (const point of ['onKnowledgeQuery', 'onKnowledgeResults'] as const) {
      for (const late of [new Promise<undefined>(() => undefined), undefined]) {
        const controller = new AbortController();
        let signal: AbortSignal | undefined;
        const policy = defineHooks({
          name: 'p',
          [point]: (_payload: unknown, ctx: HookContext) => {
            signal = ctx.signal;
            controller.abort();
            return late;
          },
        });
        const played = await ask(mode, [policy], { signal: controller.signal });
        expect([played.result.status, signal?.aborted]).toEqual(['cancelled', true]);
        expect(played.found).toMatchObject({ outcome: 'cancelled', isError: true });
        expect(played.index.queries).toHaveLength(point === 'onKnowledgeQuery' ? 0 : 1);
        expect(ofType(played.heard, 'knowledge.found')).toEqual([]);
        await expectSound(played);
      }
    }
  });

  test('a cancel during the search tells the index, and what it gives then is read by nobody', async () => {
    const controller = new AbortController();
    const asked: unknown[] = [];
    let tell: (given: unknown) => void = () => undefined;
    const index = new Library(
      (_query, { signal }) =>
        new Promise((resolve) => {
          tell = resolve;
          signal.addEventListener('abort', () => tell(HANDBOOK));
          controller.abort();
        }),
    );
    const watch = defineHooks({ name: 'w', onKnowledgeResults: (given) => void asked.push(given) });
    const played = await ask(mode, [watch], { index, signal: controller.signal });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect([played.result.status, asked]).toEqual(['cancelled', []]);
    expect(ofType(played.heard, 'knowledge.found')).toEqual([]);
  });
});

describe.each([1, 2, 3])('a process that ends after %i commits', (commits) => {
  test('leaves a search that another process finishes, judged by its policies', async () => {
    let now = 1_000;
    const disk = memoryStore({ now: () => now });
    const script = Array.from({ length: 4 }, () => answerOrSearch);
    const first = agentOn(dyingStore(disk, commits), script);
    await first.run({ threadId: 't', message: 'hi' }).catch((error: unknown) => error);
    now += 60_000;
    const index = new Library();
    const second = agentOn(disk, script, index);
    expect(await second.resume({ threadId: 't' })).toMatchObject({ status: 'completed' });
    for (const query of index.queries) expect(query).toBe('42!');
    expect(foundIn(await disk.readMessages('t')).output).toEqual(JSON.parse(oneFound));
    const events = await disk.readEvents('t');
    for (const type of ['knowledge.queried', 'knowledge.found'] as const)
      expect(ofType(events, type)).toHaveLength(1);
    expectPairs(events);
  });
});

const answerOrSearch = (request: ModelRequest) =>
  request.messages.at(-1)?.role === 'tool' ? 'done' : { toolCalls: [lookUp('42')] };

function agentOn(store: ThreadStore, script: readonly ScriptEntry[], index = new Library()) {
  const model = scriptedModel(script);
  return createAgent({ name: 'clerk', model, store, knowledge: index, hooks: [tracing([])] });
}

test('onError may end a turn over a search that failed', async () => {
  const abort = defineHooks({ name: 'abort', onError: () => false });
  const index = new Library(() => {
    throw new Error('down');
  });
  const { result, found } = await ask('run', [abort], { index });
  expect(result).toMatchObject({
    status: 'failed',
    error: { code: 'tool-failed', toolName: 'search_knowledge', forModel: NOT_SEARCHED.error },
  });
  expect(found.outcome).toBe('failed');
});
