import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import {
  createAgent,
  defineHooks,
  type FilePart,
  type ModelRequest,
  memoryStore,
  scriptedModel,
  ToolOutput,
  ToolResultDecision,
  tool,
  toolResultsOf,
} from '../../src/index.ts';
import { toolSet } from '../../src/tools/tool-set.ts';
import { expectStatus, MODES, play, stores } from './play.ts';
import { resultsIn } from './traces.ts';

const PNG = 'iVBORw0KGgo=';
const picture: FilePart = { type: 'file', mediaType: 'image/png', data: PNG };
const paper: FilePart = {
  type: 'file',
  mediaType: 'application/pdf',
  url: 'https://example.com/a.pdf',
  filename: 'a.pdf',
};
const script = [{ toolCalls: [{ name: 'shoot' }] }, 'done'];

function shooting(
  execute: () => unknown,
  more: {
    readonly maxOutputBytes?: number;
    readonly showResult?: boolean;
    readonly untrusted?: boolean;
  } = {},
) {
  return tool({ name: 'shoot', inputSchema: z.object({}), tier: 'auto', execute, ...more });
}

const shoot = (more = {}) =>
  shooting(
    () =>
      new ToolOutput({ page: 1 }, [
        { mediaType: 'image/png', data: Buffer.from(PNG, 'base64') },
        {
          mediaType: 'application/pdf',
          url: new URL('https://example.com/a.pdf'),
          filename: 'a.pdf',
        },
      ]),
    more,
  );

/** What the model reads of the call. */
function read(request: ModelRequest | undefined) {
  const [result] = request?.messages.flatMap(toolResultsOf) ?? [];
  return { output: result?.output, files: result?.files, isError: result?.isError };
}

describe.each(MODES)('%s', (mode) => {
  test.each(stores())(
    'T08: the output stays as it is, and the files follow it (%s store)',
    async (_name, open) => {
      const model = scriptedModel(script);
      const played = await play(mode, { model, tools: [shoot()], store: open() });
      expectStatus(played.result, 'completed');
      const expected = { output: { page: 1 }, files: [picture, paper], isError: false };
      expect(read(model.requests[1])).toEqual(expected);
      const [stored] = (await played.store.readMessages('t')).flatMap(toolResultsOf);
      expect(stored).toMatchObject(expected);
      const [entry] = await played.store.readLedger('t', ['1.1.0']);
      expect(entry?.result).toEqual({ outcome: 'succeeded', ...expected });
      expect(JSON.stringify(played.heard)).not.toContain(PNG);
    },
  );

  test('T08: a policy sees them, and what it puts in their place is what is read', async () => {
    const seen: unknown[] = [];
    const redacts = defineHooks({
      name: 'redacts',
      postToolUse: (_invocation, result) => {
        seen.push(result.files, Object.isFrozen(result.files?.[0]));
        return ToolResultDecision.modify({ files: [paper] });
      },
    });
    const model = scriptedModel(script);
    await play(mode, { model, tools: [shoot()], hooks: [redacts] });
    expect(seen).toEqual([[picture, paper], true]);
    expect(read(model.requests[1])).toEqual({
      output: { page: 1 },
      files: [paper],
      isError: false,
    });
  });

  test('T08: a rewrite of the output alone keeps them; an error has none', async () => {
    for (const [rewrite, files] of [
      [{ output: 'new' }, [picture, paper]],
      [{ isError: true }, undefined],
      [{ files: [] }, undefined],
    ] as const) {
      const model = scriptedModel(script);
      const edits = defineHooks({
        name: 'edits',
        postToolUse: () => ToolResultDecision.modify(rewrite),
      });
      await play(mode, { model, tools: [shoot()], hooks: [edits] });
      expect(read(model.requests[1]).files).toEqual(files);
    }
  });

  test('T08: they pass the policies around the call', async () => {
    const around = defineHooks({
      name: 'around',
      wrapToolUse: async (call, next) => ({ ...(await next(call)), output: 'wrapped' }),
    });
    const model = scriptedModel(script);
    await play(mode, { model, tools: [shoot()], hooks: [around] });
    expect(read(model.requests[1])).toMatchObject({ output: 'wrapped', files: [picture, paper] });
  });

  test('T08: a long output is cut and fenced as without them, and no file is cut', async () => {
    const data = Buffer.alloc(30_000, 1).toString('base64');
    const long = () => new ToolOutput('x'.repeat(9_000), [{ mediaType: 'image/png', data }]);
    const model = scriptedModel(script);
    const tools = [shooting(long, { maxOutputBytes: 1024, untrusted: true })];
    await play(mode, { model, tools });
    const { output, files } = read(model.requests[1]);
    expect(output).toMatch(/^What stands between.*bytes elided/s);
    expect(Buffer.byteLength(String(output))).toBeLessThanOrEqual(1024);
    expect(files).toEqual([{ type: 'file', mediaType: 'image/png', data }]);
  });

  test('T08: a tool that shows no result shows no files, and none of what it reports as an error', async () => {
    const model = scriptedModel(script);
    const played = await play(mode, { model, tools: [shoot({ showResult: false })] });
    expect(read(model.requests[1])).toEqual({
      output: { ok: true },
      files: undefined,
      isError: false,
    });
    expect((await played.store.readLedger('t', ['1.1.0']))[0]?.result?.files).toHaveLength(2);
    const fails = shooting(() => new ToolOutput({ error: 'no' }, [picture]));
    const second = scriptedModel(script);
    await play(mode, { model: second, tools: [fails] });
    expect(read(second.requests[1])).toEqual({
      output: { error: 'no' },
      files: undefined,
      isError: true,
    });
  });

  test.each<[string, unknown]>([
    ['no list', picture],
    ['nothing in it', [undefined]],
    ['no media type', [{ mediaType: 'picture', data: PNG }]],
    ['data and url', [{ mediaType: 'image/png', data: PNG, url: 'https://a.example' }]],
    ['neither', [{ mediaType: 'image/png' }]],
    ['data that is no base64', [{ mediaType: 'image/png', data: 'SECRET!' }]],
    ['base64 that is cut', [{ mediaType: 'image/png', data: 'AAA' }]],
    ['a URL of another kind', [{ mediaType: 'image/png', url: 'file:///SECRET' }]],
    ['too much', [{ mediaType: 'image/png', data: Buffer.alloc(17 * 1024 * 1024) }]],
  ])(
    'T08: a file that nobody could read (%s) leaves a call that was carried out',
    async (_what, files) => {
      const model = scriptedModel(script);
      const tools = [shooting(() => new ToolOutput(null, files as never))];
      const played = await play(mode, { model, tools });
      expectStatus(played.result, 'completed');
      expect(resultsIn(await played.store.readMessages('t'))['1.1.0']?.outcome).toBe('unknown');
      expect(JSON.stringify(model.requests[1])).not.toContain('SECRET');
    },
  );
});

test('T08: the output schema is that of the output', async () => {
  const typed = tool({
    name: 'shoot',
    inputSchema: z.object({}),
    outputSchema: z.object({ page: z.number(), size: z.string().default('A4') }),
    sideEffects: 'none',
    execute: () => new ToolOutput({ page: 1, extra: 2 }, [picture]),
  });
  const model = scriptedModel(script);
  await createAgent({ name: 'a', model, tools: [typed] }).run({ message: 'go' });
  expect(read(model.requests[1])).toMatchObject({
    output: { page: 1, size: 'A4' },
    files: [picture],
  });
  expect(await toolSet([typed]).run('shoot', {})).toMatchObject({
    outcome: 'succeeded',
    result: { page: 1, size: 'A4' },
    files: [picture],
  });
  expect(await toolSet([typed]).call('shoot', {})).toEqual({ page: 1, size: 'A4' });
});

test('T08: they are there in another process', async () => {
  const store = memoryStore();
  const one = createAgent({ name: 'a', model: scriptedModel(script), tools: [shoot()], store });
  await one.run({ threadId: 't', message: 'go' });
  const model = scriptedModel(['again']);
  await createAgent({ name: 'a', model, tools: [shoot()], store }).run({
    threadId: 't',
    message: 'again',
  });
  expect(read(model.requests[0])).toMatchObject({ files: [picture, paper] });
});
