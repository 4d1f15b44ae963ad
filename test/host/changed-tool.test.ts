import {
  createAgent,
  type HostCall,
  hostTool,
  memoryStore,
  type SideEffects,
  scriptedModel,
  type ThreadStore,
  toolResultsOf,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { dyingStore } from '../loop/desk.ts';
import { waitingCalls } from './host-desk.ts';

/** Agents on one store and one script, whose `print` is run by the host, each in a version of its own. */
function desks(sideEffects: SideEffects = 'once') {
  let now = 1_000;
  const store: ThreadStore = memoryStore({ now: () => now });
  const model = scriptedModel([{ toolCalls: [{ name: 'print' }, { name: 'plain' }] }, 'done']);
  const agentWith = (version: string | undefined, on = store) => {
    const declared = { inputSchema: z.object({}), tier: 'auto' } as const;
    const changing = version === undefined ? {} : { version };
    const print = hostTool({ ...declared, name: 'print', sideEffects, ...changing });
    const plain = hostTool({ ...declared, name: 'plain', sideEffects: 'none' });
    return createAgent({ name: 'desk', model, tools: [print, plain], store: on });
  };
  const pass = () => {
    now += 60_000;
  };
  const read = () => (model.requests[1]?.messages ?? []).flatMap(toolResultsOf);
  return { store, agentWith, read, pass };
}

const start = { threadId: 't', message: 'go' };
const ANEW = /^The tool has changed .*Make the call anew/;
const names = (calls: readonly HostCall[]) => calls.map(({ toolName }) => toolName);
const resultOf = ({ callId, idempotencyKey }: HostCall) => ({
  callId,
  idempotencyKey,
  output: 'ok',
});

describe('a call that waits for the host, whose tool has become another version', () => {
  test.each([
    { was: '1', is: '2', sideEffects: 'once', outcome: 'unknown', words: /^Outcome unknown: / },
    { was: '1', is: undefined, sideEffects: 'once', outcome: 'unknown', words: /^Outcome unkn/ },
    { was: '1', is: '2', sideEffects: 'idempotent', outcome: 'unknown', words: /^Outcome unkn/ },
    { was: undefined, is: '2', sideEffects: 'none', outcome: 'invalid', words: ANEW },
  ] as const)('from $was to $is is not listed any more, and ends', async (given) => {
    const { was, is, sideEffects, outcome, words } = given;
    const { agentWith, read } = desks(sideEffects);
    const first = waitingCalls(await agentWith(was).run(start));
    expect(names(first)).toEqual(['print', 'plain']);
    const agent = agentWith(is);
    const again = waitingCalls(await agent.resume({ threadId: 't' }));
    expect(names(again)).toEqual(['plain']);
    const results = again.map(resultOf);
    const done = await agent.submitToolResults({ threadId: 't', results });
    expect(done.status).toBe('completed');
    const [printed, other] = read();
    expect(other).toMatchObject({ outcome: 'succeeded' });
    expect(printed).toMatchObject({ outcome, isError: true });
    const output = printed?.output;
    expect(typeof output === 'string' ? output : Object(output).error).toMatch(words);
  });

  test('counts as it was judged where the host has run it', async () => {
    const { agentWith, read } = desks();
    const first = waitingCalls(await agentWith('1').run(start));
    const results = first.map(resultOf);
    const done = await agentWith('2').submitToolResults({ threadId: 't', results });
    expect(done.status).toBe('completed');
    expect(read().map(({ outcome }) => outcome)).toEqual(['succeeded', 'succeeded']);
  });

  test('is listed again by whoever has the version that was judged', async () => {
    const { agentWith } = desks();
    const first = waitingCalls(await agentWith('1').run(start));
    await agentWith('2').resume({ threadId: 't' });
    expect(waitingCalls(await agentWith('1').resume({ threadId: 't' }))).toEqual(first);
  });

  test('is not handed out by another process than the one that judged it', async () => {
    const { agentWith, store, pass, read } = desks('none');
    await agentWith('1', dyingStore(store, 2))
      .run(start)
      .catch((error: unknown) => error);
    expect((await store.load('t'))?.state['phase']).toMatchObject({ name: 'running' });
    pass();
    const agent = agentWith('2');
    const handed = waitingCalls(await agent.resume({ threadId: 't' }));
    expect(names(handed)).toEqual(['plain']);
    await agent.submitToolResults({ threadId: 't', results: handed.map(resultOf) });
    expect(read()[0]).toMatchObject({
      outcome: 'invalid',
      output: { error: expect.stringMatching(ANEW) },
    });
  });
});
