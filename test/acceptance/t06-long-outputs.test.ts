import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import {
  createAgent,
  defineHooks,
  type JsonValue,
  memoryStore,
  scriptedModel,
  type ThreadStore,
  ToolError,
  type ToolOptions,
  ToolResultDecision,
  tool,
  toolResultsOf,
} from '../../src/index.ts';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import { tempFiles } from '../stores/temp-files.ts';

const newPath = tempFiles();
const STORES: readonly (readonly [string, () => ThreadStore])[] = [
  ['memory', memoryStore],
  ['SQLite', () => sqliteStore({ path: newPath() })],
];

const KIB = 1_024;
const PAGE = `BEGIN é ${'0123456789abcdé'.repeat(8 * KIB)} END`;

type Some = Partial<ToolOptions<z.ZodObject, z.ZodType, unknown>>;

function reading(give: () => JsonValue | Promise<JsonValue>, more: Some = {}) {
  return tool({
    name: 'read_page',
    inputSchema: z.object({}),
    sideEffects: 'none',
    execute: give,
    ...more,
  });
}

const CALL = { toolCalls: [{ name: 'read_page' }] };

async function shownIn(store: ThreadStore): Promise<readonly JsonValue[]> {
  const messages = await store.readMessages('t');
  return messages.flatMap(toolResultsOf).map(({ output }) => output);
}

const bytes = (value: JsonValue | undefined): number => Buffer.byteLength(String(value));

describe.each(STORES)('an output that is too long for the model, in %s', (_name, open) => {
  test('T06, B52: live and after reload the model reads a part within the limit, and the whole is kept byte by byte', async () => {
    const store = open();
    const model = scriptedModel([CALL, 'one', 'two']);
    const tools = [reading(() => PAGE, { maxOutputBytes: 4 * KIB })];
    const make = () => createAgent({ name: 'a', model, tools, store });
    await make().run({ threadId: 't', message: 'go' });
    await make().run({ threadId: 't', message: 'again' });
    const read = model.requests.map(({ messages }) => messages.flatMap(toolResultsOf));
    const [live, reloaded] = [read[1]?.[0]?.output, read[2]?.[0]?.output];
    expect(bytes(live)).toBeLessThanOrEqual(4 * KIB);
    expect(live).toMatch(/^BEGIN é [\s\S]*bytes elided[\s\S]* END\n\[.* artifact 1\.1\.0\.\]$/);
    expect(reloaded).toBe(live);
    const kept = await store.readArtifact('t', '1.1.0');
    expect(kept).toMatchObject({ toolName: 'read_page', mediaType: 'text/plain' });
    expect(Buffer.from(kept?.text ?? '').equals(Buffer.from(PAGE))).toBe(true);
    await store.close?.();
  });

  test('its twin: without a limit the model reads all of it each time, and nothing is kept', async () => {
    const store = open();
    const model = scriptedModel([CALL, 'one']);
    const tools = [reading(() => PAGE, { maxOutputBytes: Number.POSITIVE_INFINITY })];
    await createAgent({ name: 'a', model, tools, store }).run({ threadId: 't', message: 'go' });
    expect(await shownIn(store)).toEqual([PAGE]);
    expect(await store.readArtifact('t', '1.1.0')).toBeUndefined();
    await store.close?.();
  });

  test('T06: of several calls only what is too long is kept, under the id of its call', async () => {
    const store = open();
    const model = scriptedModel([{ toolCalls: [...CALL.toolCalls, ...CALL.toolCalls] }, 'done']);
    const pages = ['short', PAGE];
    const tools = [reading(() => pages.shift() ?? '')];
    const agent = createAgent({ name: 'a', model, tools, store });
    expect((await agent.run({ threadId: 't', message: 'go' })).status).toBe('completed');
    expect(await store.readArtifact('t', '1.1.0')).toBeUndefined();
    expect((await store.readArtifact('t', '1.1.1'))?.text).toBe(PAGE);
    expect((await shownIn(store))[0]).toBe('short');
    await store.close?.();
  });

  test('B52: is kept by the commit that stores its part, whatever ends the turn', async () => {
    const store = open();
    const model = scriptedModel([CALL]);
    const tools = [reading(() => PAGE)];
    const agent = createAgent({ name: 'a', model, tools, store, limits: { steps: 1 } });
    expect((await agent.run({ threadId: 't', message: 'go' })).status).toBe('limited');
    const [part] = await shownIn(store);
    expect(bytes(part)).toBeLessThanOrEqual(64 * KIB);
    expect((await store.readArtifact('t', '1.1.0'))?.text).toBe(PAGE);
    await store.close?.();
  });
});

async function runOnce(tools: Parameters<typeof createAgent>[0]['tools'], more: object = {}) {
  const store = memoryStore();
  const model = scriptedModel([CALL, 'done']);
  await createAgent({ name: 'a', model, tools: tools ?? [], store, ...more }).run({
    threadId: 't',
    message: 'go',
  });
  const [output] = await shownIn(store);
  return { output, artifact: await store.readArtifact('t', '1.1.0') };
}

describe('the limit of outputs', () => {
  test('T06: is 64 KiB unless the agent says, and what the tool says goes before that', async () => {
    const text = 'x'.repeat(70 * KIB);
    const by = async (agent: object, own: Some) =>
      bytes((await runOnce([reading(() => text, own)], agent)).output);
    expect(await by({}, {})).toBeLessThanOrEqual(64 * KIB);
    expect(await by({}, {})).toBeGreaterThan(63 * KIB);
    expect(await by({ maxOutputBytes: 2 * KIB }, {})).toBeLessThanOrEqual(2 * KIB);
    expect(await by({ maxOutputBytes: 2 * KIB }, { maxOutputBytes: 8 * KIB })).toBeGreaterThan(
      7 * KIB,
    );
  });

  test('B52: holds for what failed and for what a policy made of a result', async () => {
    const limit = { maxOutputBytes: 2 * KIB };
    const failing = reading(() => {
      throw new ToolError(PAGE);
    }, limit);
    const failed = await runOnce([failing]);
    expect(bytes(failed.output)).toBeLessThanOrEqual(2 * KIB);
    expect(failed.artifact?.mediaType).toBe('application/json');
    expect(JSON.parse(failed.artifact?.text ?? '')).toMatchObject({
      error: expect.stringContaining(PAGE),
    });
    const longer = defineHooks({
      name: 'longer',
      postToolUse: () => ToolResultDecision.modify({ output: PAGE }),
    });
    const modified = await runOnce([reading(() => 'short', limit)], { hooks: [longer] });
    expect(bytes(modified.output)).toBeLessThanOrEqual(2 * KIB);
    expect(modified.artifact?.text).toBe(PAGE);
  });

  test('U-E7: what is hidden is not in what is kept', async () => {
    const hiding = tool({
      name: 'read_page',
      inputSchema: z.object({}),
      outputSchema: z.object({ text: z.string(), pin: z.string() }),
      hidden: ['pin'],
      sideEffects: 'none',
      execute: () => ({ text: PAGE, pin: 'HUSH' }),
    });
    const { output, artifact } = await runOnce([hiding]);
    expect(JSON.parse(artifact?.text ?? '')).toEqual({ text: PAGE });
    expect(output).not.toContain('HUSH');
  });

  test('policies see the whole, and no event holds a word of it', async () => {
    const seen: unknown[] = [];
    const watch = defineHooks({
      name: 'watch',
      postToolUse: (_call, { output }) => void seen.push(output),
    });
    const store = memoryStore();
    const model = scriptedModel([CALL, 'done']);
    const tools = [reading(() => PAGE)];
    await createAgent({ name: 'a', model, tools, store, hooks: [watch] }).run({
      threadId: 't',
      message: 'go',
    });
    expect(seen).toEqual([PAGE]);
    expect(JSON.stringify(await store.readEvents('t'))).not.toContain('0123456789');
  });

  test.each([0, 1_023, 4_096.5, '4096', null])('%j is refused when it is built', (limit) => {
    const maxOutputBytes = limit as number;
    expect(() => reading(() => '', { maxOutputBytes })).toThrow(/`maxOutputBytes` is not a whole/);
    const model = scriptedModel([]);
    expect(() => createAgent({ name: 'a', model, maxOutputBytes })).toThrow(/'maxOutputBytes'/);
  });
});
