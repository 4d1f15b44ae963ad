import {
  ConfigError,
  compareShadows,
  createAgent,
  fallbackModel,
  limitedModel,
  memoryStore,
  PromptSuffix,
  replayModel,
  routerModel,
  scriptedModel,
  shadowComparisons,
  tool,
} from 'agent-hooks';
import { fromAiSdk } from 'agent-hooks/models/ai-sdk';
import { retryModel } from 'agent-hooks/models/retry';
import { postgresStore } from 'agent-hooks/stores/postgres';
import { redisStore } from 'agent-hooks/stores/redis';
import { sqliteStore } from 'agent-hooks/stores/sqlite';
import {
  ask,
  chunked,
  chunkedBytes,
  coverageOf,
  hangingPolicy,
  hookContext,
  latePolicy,
  lyingPolicy,
  readThreads,
  readTranscripts,
  recordCalls,
  replay,
  threadStoreConformance,
  throwingPolicy,
  toolInvocation,
} from 'agent-hooks/testing';
import { fuzzPolicy } from 'agent-hooks/testing/fuzz';
import { currentDatetimeTool } from 'agent-hooks/tools';
import { mcpResourceTools, mcpTools } from 'agent-hooks/tools/mcp';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

const model = scriptedModel(['hi']);
const store = memoryStore();
const guard = { name: 'guard', preToolUse: () => undefined };
const sdk = {
  specificationVersion: 'v3',
  provider: 'p',
  modelId: 'm',
  doGenerate: () => undefined,
  doStream: () => undefined,
};
const client = { listTools: async () => ({ tools: [] }), callTool: async () => ({}) };
const readable = {
  ...client,
  listResources: async () => ({ resources: [] }),
  readResource: async () => ({ contents: [] }),
};

/** Every public function that takes options: a known name misspelled, and the call with it. */
const FACTORIES: readonly (readonly [
  name: string,
  option: string,
  call: (options: never) => unknown,
])[] = [
  ['createAgent', 'hook', (o) => createAgent(Object.assign({ name: 'a', model }, o))],
  [
    'tool',
    'timeoutMS',
    (o) => tool(Object.assign({ name: 'a', inputSchema: z.object({}), execute: () => null }, o)),
  ],
  ['limitedModel', 'maxConcurent', (o) => limitedModel(model, o)],
  ['retryModel', 'maxRetrys', (o) => retryModel(model, o)],
  ['fallbackModel', 'onn', (o) => fallbackModel([model], o)],
  ['routerModel', 'router', (o) => routerModel(o)],
  ['scriptedModel', 'strickt', (o) => scriptedModel(['hi'], o)],
  ['replayModel', 'Id', (o) => replayModel([], o)],
  ['fromAiSdk', 'providerOption', (o) => fromAiSdk(sdk as never, o)],
  ['memoryStore', 'digest', (o) => memoryStore(o)],
  ['sqliteStore', 'pathh', (o) => sqliteStore(o)],
  ['postgresStore', 'urll', (o) => postgresStore(o)],
  ['redisStore', 'urll', (o) => redisStore(o)],
  ['compareShadows', 'maxDifference', (o) => compareShadows(store, o)],
  ['shadowComparisons', 'maxDifferences', (o) => shadowComparisons(store, o).next()],
  ['PromptSuffix', 'modell', (o) => new PromptSuffix('x', o)],
  ['currentDatetimeTool', 'naw', (o) => currentDatetimeTool('UTC', o)],
  ['mcpTools', 'onlly', (o) => mcpTools(client, o)],
  ['mcpResourceTools', 'prefx', (o) => mcpResourceTools(readable, o)],
  ['ask', 'mesages', (o) => ask(guard).preToolUse(toolInvocation('a', {}), o)],
  ['hookContext', 'mesages', (o) => hookContext(o)],
  ['chunked', 'secret', (o) => chunked('text', o)],
  ['chunkedBytes', 'secret', (o) => chunkedBytes('text', o)],
  ['coverageOf', 'tool', (o) => coverageOf([guard], o)],
  ['coverageOf: assertCovered', 'point', (o) => coverageOf([guard]).assertCovered(o)],
  ['throwingPolicy', 'nam', (o) => throwingPolicy('preToolUse', o)],
  ['hangingPolicy', 'nam', (o) => hangingPolicy('preToolUse', o)],
  ['lyingPolicy', 'anser', (o) => lyingPolicy('preToolUse', o)],
  ['latePolicy', 'anser', (o) => latePolicy('preToolUse', 5, o)],
  ['readThreads', 'threadIDs', (o) => readThreads(store, o).next()],
  ['readTranscripts', 'maxByte', (o) => readTranscripts('none.jsonl', o).next()],
  ['recordCalls', 'redakt', (o) => recordCalls(createAgent({ name: 'a', model }), o)],
  ['replay', 'agains', (o) => replay(Object.assign({ hooks: [], conversations: [] }, o))],
  ['threadStoreConformance', 'reopn', (o) => threadStoreConformance(() => memoryStore(), o)],
  ['fuzzPolicy', 'timeMS', (o) => fuzzPolicy(guard, 'preToolUse', o)],
];

async function thrown(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('an option that nobody knows', () => {
  test.each(FACTORIES)('of %s is refused: %s', async (_name, option, call) => {
    const error = await thrown(() => call({ [option]: undefined } as never));
    expect(error).toBeInstanceOf(ConfigError);
    expect(error).toMatchObject({ code: 'unknown-option' });
    expect(String(error)).toContain(option);
  });

  test.each(FACTORIES.filter(([name]) => !['createAgent', 'tool', 'replay'].includes(name)))(
    'of %s: what is no object at all is refused in words',
    async (_name, _option, call) => {
      for (const options of [null, 5, 'text'])
        expect(await thrown(() => call(options as never))).toBeInstanceOf(ConfigError);
    },
  );
});

describe('coverageOf', () => {
  test.each([[[undefined]], [[null]], [[{}]], [[5]], ['refund'], [{}]])(
    'what is no tool, %j, is refused in words',
    (tools) => {
      expect(() => coverageOf([guard], { tools: tools as never })).toThrow(
        expect.objectContaining({ name: 'ConfigError', code: 'invalid-option' }),
      );
    },
  );

  test.each([Number.NaN, -1, 80, '1', null])('%j is no share', (points) => {
    expect(() => coverageOf([guard]).assertCovered({ points: points as never })).toThrow(
      expect.objectContaining({ name: 'ConfigError', code: 'invalid-option' }),
    );
  });
});

test('fuzzPolicy refuses what is no tool in words', async () => {
  for (const one of [undefined, null, 'refund', {}])
    await expect(fuzzPolicy(guard, 'preToolUse', { tools: [one] as never })).rejects.toThrow(
      expect.objectContaining({ name: 'ConfigError', code: 'invalid-option' }),
    );
});
