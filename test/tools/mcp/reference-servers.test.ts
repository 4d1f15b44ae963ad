import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createAgent,
  Policy,
  scriptedModel,
  ToolDecision,
  type ToolInvocation,
  ToolResultDecision,
  toolResultsOf,
} from 'agent-hooks';
import { mcpPrompt, mcpResourceTools, mcpTools } from 'agent-hooks/tools/mcp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Connection, GENERATIONS, overHttp, overStdio } from './servers.ts';

/** Nothing is written outside of the drafts. */
class DraftsOnly extends Policy {
  override preToolUse({ toolName, effectiveInput }: ToolInvocation) {
    if (toolName !== 'files__write_file') return undefined;
    return String(effectiveInput['path']).endsWith('.draft')
      ? ToolDecision.allow()
      : ToolDecision.block('only drafts are written');
  }
}

class NoSecrets extends Policy {
  override postToolUse(_invocation: ToolInvocation, { output }: { readonly output: unknown }) {
    return JSON.stringify(output).includes('sk-live')
      ? ToolResultDecision.modify({ output: '[withheld]' })
      : undefined;
  }
}

describe.each(GENERATIONS)('the file server over stdio, with the SDK %s', (generation) => {
  let folder: string;
  let connection: Connection;

  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'mcp-files-')));
    await writeFile(join(folder, 'key.txt'), 'sk-live-1');
    await writeFile(join(folder, 'plain.txt'), 'hello');
    connection = await overStdio(generation, 'filesystem', [folder]);
  });
  afterAll(async () => {
    await connection.close();
    await rm(folder, { recursive: true });
  });

  test('gives every tool, each as careful as its server says', async () => {
    const { tools, skipped } = await mcpTools(connection.client, { prefix: 'files__' });
    expect(skipped).toEqual([]);
    const careful = Object.fromEntries(tools.map((one) => [one.name, [one.tier, one.sideEffects]]));
    expect(careful).toMatchObject({
      files__read_text_file: ['auto', 'none'],
      files__write_file: ['confirm', 'idempotent'],
      files__edit_file: ['confirm', 'once'],
      files__create_directory: ['confirm', 'idempotent'],
      files__move_file: ['confirm', 'once'],
    });
  });

  test('is guarded by two policies: what one blocks is not written, and what the other withholds is not read', async () => {
    const { tools } = await mcpTools(connection.client, { prefix: 'files__' });
    const write = (name: string) => ({
      name: 'files__write_file',
      input: { path: join(folder, name), content: 'x' },
    });
    const read = (name: string) => ({
      name: 'files__read_text_file',
      input: { path: join(folder, name) },
    });
    const model = scriptedModel([
      { toolCalls: [write('a.txt'), write('a.draft'), read('key.txt'), read('plain.txt')] },
      'done',
    ]);
    const agent = createAgent({
      name: 'desk',
      model,
      tools,
      hooks: [new DraftsOnly(), new NoSecrets()],
    });
    const result = await agent.run({ message: 'go' });
    expect(result).toMatchObject({ status: 'completed', text: 'done' });
    expect(result.messages.flatMap(toolResultsOf).map(({ outcome }) => outcome)).toEqual([
      'blocked',
      'succeeded',
      'succeeded',
      'succeeded',
    ]);
    expect(JSON.stringify(result.messages)).not.toContain('sk-live');
    expect(JSON.stringify(result.messages)).toContain('hello');
    expect(await readFile(join(folder, 'a.draft'), 'utf8')).toBe('x');
    await expect(readFile(join(folder, 'a.txt'))).rejects.toThrow();
  });

  test('without the policies the key is read and the file is written once a person says so', async () => {
    const { tools } = await mcpTools(connection.client, { prefix: 'files__' });
    const model = scriptedModel([
      {
        toolCalls: [
          { name: 'files__write_file', input: { path: join(folder, 'b.txt'), content: 'x' } },
          { name: 'files__read_text_file', input: { path: join(folder, 'key.txt') } },
        ],
      },
      'done',
    ]);
    const agent = createAgent({ name: 'desk', model, tools });
    const paused = await agent.run({ threadId: `t-${generation}`, message: 'go' });
    if (paused.status !== 'awaiting-approval') return expect.unreachable(paused.status);
    await expect(readFile(join(folder, 'b.txt'))).rejects.toThrow();
    const answers = paused.approvals.map(({ approvalId }) => ({
      approvalId,
      approved: true,
      by: 'ann',
    }));
    const result = await agent.resume({ threadId: `t-${generation}`, answers });
    expect(result.status).toBe('completed');
    expect(await readFile(join(folder, 'b.txt'), 'utf8')).toBe('x');
    expect(JSON.stringify(result.messages)).toContain('sk-live');
  });

  test('an error that the server reports is one that the model reads', async () => {
    const { tools } = await mcpTools(connection.client);
    const model = scriptedModel([
      { toolCalls: [{ name: 'read_text_file', input: { path: '/etc/hostname' } }] },
      'done',
    ]);
    const result = await createAgent({ name: 'desk', model, tools }).run({ message: 'go' });
    expect(result.messages.flatMap(toolResultsOf)).toMatchObject([
      {
        outcome: 'failed',
        output: { error: expect.stringMatching(/Access denied.*Do not claim/s) },
      },
    ]);
  });
});

describe.each(GENERATIONS)(
  'the server of all features over HTTP, with the SDK %s',
  (generation) => {
    let connection: Connection;
    beforeAll(async () => {
      connection = await overHttp(generation);
    });
    afterAll(() => connection.close());

    test('gives its results, structured where they are, and a picture as one', async () => {
      const { tools, skipped } = await mcpTools(connection.client);
      expect(skipped.map(({ name }) => name)).toEqual(
        generation === '1.x' ? ['simulate-research-query'] : expect.any(Array),
      );
      const model = scriptedModel([
        {
          toolCalls: [
            { name: 'get-sum', input: { a: 2, b: 3 } },
            { name: 'get-structured-content', input: { location: 'Chicago' } },
            { name: 'get-tiny-image', input: {} },
            { name: 'get-sum', input: { a: 'two' } },
          ],
        },
        'done',
      ]);
      const result = await createAgent({ name: 'desk', model, tools }).run({ message: 'go' });
      const [sum, structured, picture, wrong] = result.messages.flatMap(toolResultsOf);
      expect(sum?.output).toContain('5');
      expect(structured?.output).toMatchObject({ temperature: expect.any(Number) });
      expect(picture?.output).toContainEqual({
        type: 'image',
        mimeType: 'image/png',
      });
      expect(picture?.files).toMatchObject([{ mediaType: 'image/png', data: expect.any(String) }]);
      expect(wrong).toMatchObject({ outcome: 'invalid' });
    });

    test('tells how far a long call is', async () => {
      const { tools } = await mcpTools(connection.client);
      const model = scriptedModel([
        {
          toolCalls: [
            { name: 'trigger-long-running-operation', input: { duration: 0.2, steps: 2 } },
          ],
        },
        'done',
      ]);
      const agent = createAgent({ name: 'desk', model, tools });
      const told: unknown[] = [];
      agent.on('tool.progress', (event) => told.push(event.data));
      expect((await agent.run({ message: 'go' })).status).toBe('completed');
      expect(told).toContainEqual(expect.objectContaining({ progress: 1, total: 2 }));
    });

    test('lets a model list its resources and read one, and an app read a prompt', async () => {
      const { list, read } = mcpResourceTools(connection.client, { prefix: 'docs__' });
      const uri = 'demo://resource/static/document/architecture.md';
      const model = scriptedModel([
        { toolCalls: [{ name: 'docs__list_resources' }] },
        { toolCalls: [{ name: 'docs__read_resource', input: { uri } }] },
        { toolCalls: [{ name: 'docs__read_resource', input: { uri: 'demo://nothing' } }] },
        'done',
      ]);
      const result = await createAgent({ name: 'desk', model, tools: [list, read] }).run({
        message: 'go',
      });
      const [listed, text, missing] = result.messages.flatMap(toolResultsOf);
      expect(listed?.output).toContainEqual(expect.objectContaining({ uri }));
      expect(text).toMatchObject({ outcome: 'succeeded', output: expect.stringContaining('#') });
      expect(missing).toMatchObject({ outcome: 'failed' });
      expect(await mcpPrompt(connection.client, 'simple-prompt')).toBe(
        'This is a simple prompt without arguments.',
      );
    });
  },
);
