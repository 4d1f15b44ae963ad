import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import {
  createAgent,
  defineHooks,
  type JsonObject,
  memoryStore,
  type SpokenLine,
  scriptedModel,
  ToolDecision,
  tool,
  toolResultsOf,
} from '../../src/index.ts';
import { hear, ofType } from './evidence.ts';
import { expectStatus } from './play.ts';

/** Names that every object has something under. */
const ODD = ['constructor', 'toString', 'hasOwnProperty', 'valueOf', 'isPrototypeOf'] as const;

/** One tool whose every part has such a name, on an agent whose state holds one below a field. */
function desk(name: string, more: { readonly toolName?: string; readonly locked?: object } = {}) {
  const ran: JsonObject[] = [];
  const toolName = more.toolName ?? 'look';
  const shape = { [name]: z.string(), other: z.string().optional() };
  const made = tool({
    name: toolName,
    inputSchema: z.object(shape),
    outputSchema: z.object({ [name]: z.string(), rest: z.string() }),
    sideEffects: 'none',
    announce: `For {{other}} and {{customer.${name}}}.`,
    assign: [{ field: 'saved', path: [name] }],
    replies: [{ when: { [name]: ['found'] }, say: `It is {{result.${name}}}.` }],
    hidden: ['rest'] as never,
    ...(more.locked !== undefined && { locked: more.locked as never }),
    execute: (input: JsonObject) => {
      ran.push(input);
      return { [name]: 'found', rest: 'hidden' };
    },
  } as never);
  const stateSchema = z.object({
    customer: z.object({ [name]: z.string() }).optional(),
    saved: z.string().optional(),
  });
  const lines: string[] = [];
  const run = async (input: JsonObject, state: object = { customer: { [name]: 'seven' } }) => {
    const model = scriptedModel([{ toolCalls: [{ name: toolName, input }] }, 'done']);
    const store = memoryStore();
    const seen: unknown[] = [];
    const watch = defineHooks({
      name: 'watch',
      preToolUse: (call) => {
        seen.push([call.toolName, call.effectiveInput]);
        return ToolDecision.abstain();
      },
    });
    const agent = createAgent({
      name: 'desk',
      model,
      store,
      tools: [made],
      hooks: [watch],
      stateSchema,
      onLine: ({ text }: SpokenLine) => void lines.push(text),
    } as never);
    const events = hear(agent as never);
    const result = await agent.run({ threadId: 't', message: 'go', state } as never);
    const outputs = (await store.readMessages('t')).flatMap(toolResultsOf);
    return { result, outputs, events, seen, model };
  };
  return { ran, lines, run };
}

describe.each(ODD)('%s is a name like any other', (name) => {
  test('of an argument, a key of the state, a member of a result and a lock', async () => {
    const scene = desk(name);
    const { result, outputs, seen } = await scene.run({ [name]: 'a', other: 'b' });
    expectStatus(result, 'completed');
    expect(scene.ran).toEqual([{ [name]: 'a', other: 'b' }]);
    expect(seen).toEqual([['look', { [name]: 'a', other: 'b' }]]);
    expect(outputs).toMatchObject([{ outcome: 'succeeded', output: { [name]: 'found' } }]);
    expect(JSON.stringify(outputs)).not.toContain('hidden');
    expect(result).toMatchObject({ state: { saved: 'found' } });
    expect(scene.lines).toEqual(['For b and seven.', 'It is found.']);
  });

  test('is missing where it is not given, whatever every object has', async () => {
    const scene = desk(name);
    const { outputs } = await scene.run({ other: 'b' });
    expect(scene.ran).toEqual([]);
    expect(outputs).toMatchObject([{ outcome: 'invalid', output: { missing: [name] } }]);
  });

  test('is an extra argument where the schema does not list it', async () => {
    const scene = desk(name === 'constructor' ? 'toString' : 'constructor');
    const given: JsonObject = { [name === 'constructor' ? 'toString' : 'constructor']: 'a' };
    const { outputs } = await scene.run({ ...given, other: 'b', [name]: 'x' });
    expect(scene.ran).toEqual([]);
    expect(JSON.stringify(outputs)).toContain(name);
    expect(outputs).toMatchObject([{ outcome: 'invalid' }]);
  });

  test('is locked like any other', async () => {
    const scene = desk(name, { locked: { [name]: `{{customer.${name}}}` } });
    const { model, seen } = await scene.run({ [name]: 'evil', other: 'b' });
    expect(scene.ran).toEqual([{ [name]: 'seven', other: 'b' }]);
    expect(seen).toEqual([['look', { [name]: 'seven', other: 'b' }]]);
    const shown = model.requests[0]?.tools[0]?.inputSchema as { properties: object };
    expect(Object.keys(shown.properties)).toEqual(['other']);
  });
});

test.each([...ODD, '__proto__'])('a tool may be called %s', async (toolName) => {
  const scene = desk('id', { toolName });
  const { result, events } = await scene.run({ id: 'a', other: 'b' }, { customer: { id: 'x' } });
  expectStatus(result, 'completed');
  expect(scene.ran).toEqual([{ id: 'a', other: 'b' }]);
  expect(ofType(events, 'tool.succeeded')).toMatchObject([{ toolName }]);
  expect(scene.lines).toEqual(['For b and x.', 'It is found.']);
});
