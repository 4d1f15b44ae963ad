import { linkSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { REPLAY_USAGE } from '../../../src/cli/replay/arguments.ts';
import { runCli } from '../../../src/cli/run-cli.ts';
import { agentHooks, project, unread } from '../project.ts';

/** What the compiler would add takes seconds, and nothing here is compiled. */
const FAST = { compiler: undefined };

const LIMIT = `
export const limit = {
  name: 'limit',
  preToolUse: ({ effectiveInput }) =>
    effectiveInput.amount > 50 ? { type: 'block', reason: 'too much' } : undefined,
};
`;
const ALLOW = "export default { name: 'open', preToolUse: () => ({ type: 'allow' }) };\n";
const STRICTER = LIMIT.replace('50', '5');

function line(id: string, amount: number): string {
  const call = { name: 'pay', arguments: JSON.stringify({ amount }) };
  const messages = [
    { role: 'user', content: 'Pay' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: call }],
    },
    { role: 'tool', tool_call_id: 'a', content: 'paid' },
    { role: 'assistant', content: 'Paid.' },
  ];
  return `${JSON.stringify({ id, messages })}\n`;
}

const TOOLS = `
import { tool } from 'agent-hooks';
import * as z from 'zod';
export const tools = [
  tool({
    name: 'pay', description: 'Pays', inputSchema: z.object({ amount: z.number() }),
    sideEffects: 'idempotent', tier: 'auto', execute() { throw new Error('it ran'); },
  }),
];
`;

const STORE = `
import { createAgent, memoryStore, scriptedModel } from 'agent-hooks';
const store = memoryStore();
const agent = createAgent({ name: 'a', store, model: scriptedModel(['Hi.', 'Ho.']) });
await agent.run({ threadId: 'one', message: 'Hello' });
await agent.run({ threadId: 'two', message: 'Hello' });
export default store;
`;

const FILES = {
  'many.jsonl': line('many', 500).repeat(400),
  'linked.jsonl': line('linked', 5),
  'rejects.mjs':
    "export default { name: 'r', preToolUse() { Promise.reject(new Error('a')); Promise.reject(new Error('b')); } };\n",
  'limit.mjs': LIMIT,
  'allow.mjs': ALLOW,
  'stricter.mjs': STRICTER,
  'throws.mjs': "export default { name: 'p', preToolUse() { throw new TypeError('SECRET'); } };\n",
  'stray.mjs': "export default { name: 'p', preTooluse() {} };\n",
  'syntax.mjs': 'export default {\n',
  'nothing.mjs': 'export const a = 1;\n',
  'tools.mjs': TOOLS,
  'store.mjs': STORE,
  'reads-context.mjs':
    "export default { name: 'p', preToolUse: (_c, ctx) => ({ type: 'block', reason: ctx.context.tenant }) };\n",
  'prints.mjs': `console.log('LOADING');${LIMIT}`,
  'context.json': '{ "tenant": "acme" }',
  'small.jsonl': line('small', 10),
  'both.jsonl': `${line('small', 10)}${line('large', 70)}`,
  'broken.jsonl': `${line('small', 10)}{"id": "cut\n${line('large', 70)}`,
  'hostile.jsonl': line('\u001b[2Jid\u202e', 70),
};

const folder = project(FILES, FAST);

/** In this process, as forty of them take minutes; what only a process of its own can show is at the end. */
async function run(...args: readonly string[]): Promise<Ended> {
  const [out, err]: string[][] = [[], []];
  const code = await runCli(['replay', ...args.map(inFolder)], {
    out: (text) => void out?.push(text),
    drained: () => undefined,
    err: (text) => void err?.push(text),
    isColoured: false,
    version: () => '0',
    progress: { now: () => 0 },
  });
  const [printed = '', told = ''] = [out, err].map((texts = []) =>
    texts.join('').replaceAll(`${folder}/`, ''),
  );
  return { code, out: printed, err: told };
}

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function inFolder(arg: string): string {
  return /^[a-z][\w/-]*\.\w+(\.json)?$|^\.$/.test(arg) ? join(folder, arg) : arg;
}

describe('agent-hooks replay — exit codes', () => {
  test.each<[code: number, args: string]>([
    [0, '--hooks limit.mjs small.jsonl'],
    [0, '--hooks allow.mjs both.jsonl'],
    [1, '--hooks limit.mjs both.jsonl'],
    [1, '--hooks throws.mjs small.jsonl'],
    [0, '--hooks limit.mjs --fail-on none both.jsonl'],
    [0, '--hooks limit.mjs --fail-on requires-confirmation,failed both.jsonl'],
    [1, '--hooks limit.mjs --fail-on requires-confirmation,block both.jsonl'],
    [1, '--hooks allow.mjs --fail-on allow small.jsonl'],
    [0, '--hooks limit.mjs --against limit.mjs both.jsonl'],
    [1, '--hooks limit.mjs --against stricter.mjs both.jsonl'],
    [1, '--hooks throws.mjs --against throws.mjs small.jsonl'],
    [0, '--hooks limit.mjs --against stricter.mjs --fail-on none both.jsonl'],
    [2, '--hooks limit.mjs broken.jsonl'],
    [2, '--hooks limit.mjs --fail-on none broken.jsonl'],
    [2, '--hooks limit.mjs --max-bytes 100 small.jsonl'],
  ])('%i: %s', async (code, args) => {
    const ended = await run(...args.split(' '));
    expect([ended.code, ended.err.includes('Usage')]).toEqual([code, false]);
  });

  test.each<[args: string, says: RegExp]>([
    ['small.jsonl', /--hooks <file>/],
    ['--hooks limit.mjs', /Say what to replay/],
    ['--hooks limit.mjs --bogus small.jsonl', /--bogus/],
    ['--hooks limit.mjs --fail-on blocks small.jsonl', /no 'blocks'.*requires-confirmation/],
    ['--hooks limit.mjs --fail-on none,block small.jsonl', /stands alone/],
    ['--hooks limit.mjs --fail-on difference small.jsonl', /--against/],
    ['--hooks limit.mjs --thread one small.jsonl', /--store/],
    ['--hooks limit.mjs --max-bytes many small.jsonl', /--max-bytes/],
    ['--hooks limit.mjs missing.jsonl', /no file 'missing.jsonl'/],
    ['--hooks limit.mjs .', /is a folder/],
    ['--hooks missing.mjs small.jsonl', /no file 'missing.mjs'/],
    ['--hooks stray.mjs small.jsonl', /preTooluse.*preToolUse/],
    ['--hooks syntax.mjs small.jsonl', /syntax.mjs/],
    ['--hooks nothing.mjs small.jsonl', /exports no policy/],
    ['--hooks limit.mjs --against stray.mjs small.jsonl', /preTooluse/],
    ['--hooks limit.mjs --tools limit.mjs small.jsonl', /exports no tool/],
    ['--hooks limit.mjs --store limit.mjs', /is no store/],
    ['--hooks limit.mjs --context small.jsonl.json small.jsonl', /no file/],
    ['--hooks limit.mjs --html missing/report.html small.jsonl', /missing/],
    ['--hooks limit.mjs --html small.jsonl small.jsonl', /would overwrite/],
    ['--hooks limit.mjs --html limit.mjs small.jsonl', /would overwrite/],
  ])('2, with what to do: %s', async (args, says) => {
    const { code, out, err } = await run(...args.split(' '));
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(says);
  });

  test('help is no failure', async () => {
    const { code, out } = await run('--help');
    expect([code, out.startsWith('Usage: agent-hooks replay')]).toEqual([0, true]);
  });
});

describe('agent-hooks replay — what it prints', () => {
  test('who decided what, where, and how often', async () => {
    const { out, err } = await run('--hooks', 'limit.mjs', 'both.jsonl');
    expect(out.split('\n')).toEqual([
      'large (both.jsonl:2)',
      '  turn 1, step 1, preToolUse pay: block by limit: too much',
      '',
      'policy  point       decision  count',
      'limit   preToolUse  block     1',
      '',
      '2 conversations: 1 diverged (2 turns, 4 model calls, 1 tool call)',
      '',
    ]);
    expect(err).toBe(
      'note: not declared by --tools, so taken to be tier auto and side effects once: pay\n',
    );
  });

  test('broken conversations by file and line', async () => {
    const { out } = await run('--hooks', 'limit.mjs', 'broken.jsonl');
    expect(out).toContain('broken.jsonl:2 broken is no JSON, or not all of it\n');
    expect(out).toMatch(/3 conversations: 1 diverged, 1 broken/);
  });

  test('every difference of two sets', async () => {
    const { out } = await run('--hooks', 'limit.mjs', '--against', 'stricter.mjs', 'both.jsonl');
    expect(out.split('\n').slice(0, 2)).toEqual([
      'small (both.jsonl:1)',
      '  turn 1, step 1, preToolUse pay: nothing instead of block by limit: too much',
    ]);
    expect(out).toContain('1 diverged, 1 difference (');
  });

  test('--json is one document', async () => {
    const { out } = await run('--hooks', 'limit.mjs', '--json', 'broken.jsonl');
    const { version, conversations, summary } = JSON.parse(out);
    expect(version).toBe(1);
    expect(conversations.map(({ type }: { type: string }) => type)).toEqual([
      'replayed',
      'broken',
      'replayed',
    ]);
    expect(conversations[2]).toEqual({
      type: 'replayed',
      id: 'large',
      source: { file: 'broken.jsonl', line: 3 },
      turns: 1,
      steps: 2,
      calls: 0,
      rewritten: false,
      problems: [],
      decisions: [
        {
          ...{ turn: 1, step: 1, call: 0, toolName: 'pay', point: 'preToolUse', policy: 'limit' },
          ...{ decision: 'block', reason: 'too much', after: false },
        },
      ],
      diverged: { turn: 1, step: 1, why: 'blocked', by: 'limit' },
    });
    expect(summary).toMatchObject({ conversations: 3, replayed: 2, broken: 1 });
  });

  test('a terminal is not moved by what a transcript holds', async () => {
    const { out } = await run('--hooks', 'limit.mjs', 'hostile.jsonl');
    expect(out).toContain('\\u{1b}[2Jid\\u{202e} (hostile.jsonl:1)');
    expect(out).not.toContain('\u001b');
  });

  test('what a policy throws is not told', async () => {
    const { out } = await run('--hooks', 'throws.mjs', 'small.jsonl');
    expect(out).toContain('failed by p: threw (TypeError)');
    expect(out).not.toContain('SECRET');
  });

  test('declared tools do not run', async () => {
    const { code, out, err } = await run(
      ...'--hooks limit.mjs --tools tools.mjs small.jsonl'.split(' '),
    );
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('1 tool call)');
  });

  test('policies get a context', async () => {
    const args = '--hooks reads-context.mjs --context context.json small.jsonl';
    expect((await run(...args.split(' '))).out).toContain('block by p: acme');
  });

  test('threads of a store, all or some', async () => {
    const all = await run('--hooks', 'limit.mjs', '--store', 'store.mjs');
    expect(all.out).toBe('2 conversations: 0 diverged (2 turns, 2 model calls, 0 tool calls)\n');
    const some = await run(
      ...'--hooks limit.mjs --store store.mjs --thread two --thread no'.split(' '),
    );
    expect(some.code).toBe(2);
    expect(some.out).toContain('store broken no: is no thread of this store');
  });

  test('nothing but the document is on stdout, whatever a policy file prints', async () => {
    const args = 'replay --hooks prints.mjs --json --fail-on none both.jsonl'.split(' ');
    const { code, out, err } = await agentHooks(folder, ...args);
    expect(code).toBe(0);
    expect(JSON.parse(out).conversations).toHaveLength(2);
    expect(err).toContain('LOADING');
    expect((await agentHooks(folder, 'replay')).code).toBe(2);
  });

  test.each([[['--json']], [[]]])('a reader that is behind is waited for: %j', async (more) => {
    const written: string[] = [];
    let go = (): void => undefined;
    const args = ['replay', '--hooks', 'throws.mjs', ...more, 'both.jsonl'].map(inFolder);
    const running = runCli(args, {
      out: (text) => void written.push(text),
      drained: () => new Promise<void>((resolve) => (go = resolve)),
      err: () => undefined,
      isColoured: false,
      version: () => '0',
      progress: { now: () => 0 },
    });
    const seen = () => ['small', 'large'].filter((id) => written.join('').includes(id));
    await expect.poll(seen).toEqual(['small']);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(seen()).toEqual(['small']);
    go();
    await expect.poll(seen).toEqual(['small', 'large']);
    go();
    expect(await running).toBe(1);
  });

  test('all of a long document is written by a process of its own', async () => {
    const args = ['replay', '--hooks', 'throws.mjs', '--json', 'many.jsonl'];
    const { code, out } = await agentHooks(folder, ...args);
    expect(code).toBe(1);
    expect(JSON.parse(out).conversations.length).toBeGreaterThan(100);
  });

  test('whoever stops reading is told nothing, and no policy is blamed', async () => {
    const { code, err } = await unread(folder, 'replay', '--hooks', 'limit.mjs', 'many.jsonl');
    expect({ code, err: err.replace(/^note: .*\n/, '') }).toEqual({ code: 2, err: '' });
  });

  test('what a policy file leaves behind is told once', async () => {
    const { code, err } = await agentHooks(
      folder,
      'replay',
      '--hooks',
      'rejects.mjs',
      'both.jsonl',
    );
    expect(code).toBe(2);
    expect(err.match(/left an error behind/g)).toHaveLength(1);
  });

  test('a report never overwrites what is read, by whichever name', async () => {
    linkSync(join(folder, 'linked.jsonl'), join(folder, 'linked.html'));
    const { code, err } = await run(
      '--hooks',
      'limit.mjs',
      '--html',
      'linked.html',
      'linked.jsonl',
    );
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('would overwrite') });
    expect(readFileSync(join(folder, 'linked.jsonl'), 'utf8')).toBe(FILES['linked.jsonl']);
  });

  test('a report for people beside it', async () => {
    const { code } = await run('--hooks', 'limit.mjs', '--html', 'report.html', 'broken.jsonl');
    expect(code).toBe(2);
    const page = readFileSync(join(folder, 'report.html'), 'utf8');
    expect(page.match(/class="conversation"/g)).toHaveLength(3);
    expect(page.trimEnd()).toMatch(/<\/html>$/);
  });
});

test('the page of the docs and the usage name the same options', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/replay.md'), 'utf8');
  const optionsOf = (text: string, pattern: RegExp): readonly (string | undefined)[] =>
    [...text.matchAll(pattern)].map(([, option]) => option);
  const used = optionsOf(REPLAY_USAGE, /^ {2}(?:-\w, )?(--[a-z-]+)/gm);
  expect(optionsOf(page, /^\| `(--[a-z-]+)/gm)).toEqual(used);
  expect(used.length).toBeGreaterThan(10);
});
