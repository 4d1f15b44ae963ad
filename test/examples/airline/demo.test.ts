import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Counted, countByHand } from './count-by-hand.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const data = new URL('../../../examples/airline/data/conversations.jsonl', import.meta.url);
const temp = mkdtempSync(join(tmpdir(), 'demo-test-'));

const COLUMNS = ['steps', 'calls', 'blocked', 'confirmations', 'retries'] as const;

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly seconds: number;
}

function demo(args: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
  const started = performance.now();
  const command = ['--conditions=agent-hooks-source', 'examples/airline/main.ts', ...args];
  const { OPENAI_API_KEY: _, FORCE_COLOR: __, ...inherited } = process.env;
  return new Promise((resolve) => {
    const options = { cwd: root, env: { ...inherited, TMPDIR: temp, ...env }, timeout: 60_000 };
    const child = execFile(process.execPath, command, options, (error, out, err) => {
      const seconds = (performance.now() - started) / 1000;
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), out, err, seconds });
    });
    child.stdin?.end();
  });
}

/** The lines of the table, cut at the columns of its head. */
function tableOf(out: string): string[][] {
  const lines = out.split('\n');
  const head = lines.findIndex((line) => line.startsWith('conversation '));
  const starts = [...(lines[head] ?? '').matchAll(/(?<=^|\s{2})\S/g)].map(({ index }) => index);
  const rows = lines.slice(head + 1, lines.indexOf('', head));
  return rows.map((row) => starts.map((start, at) => row.slice(start, starts[at + 1]).trim()));
}

afterAll(() => rmSync(temp, { recursive: true }));

describe('the replay of the ten conversations', () => {
  let ran: Ran;
  beforeAll(async () => {
    ran = await demo([]);
  }, 60_000);

  test('ends well within half a minute', () => {
    expect(ran.err).toBe('');
    expect(ran.code).toBe(0);
    expect(ran.seconds).toBeLessThan(30);
  });

  test('counts what the data says, conversation by conversation', () => {
    const expected = countByHand(data).map(({ id, reward, until, after, byPolicy }) => {
      const diverged = Object.keys(byPolicy).length > 0;
      const cells = COLUMNS.map((name) => `${until[name]}${diverged ? `+${after[name]}` : ''}`);
      return [id, `${reward}`, ...cells, diverged ? 'yes' : 'no', policies(byPolicy)];
    });
    expect(tableOf(ran.out).slice(0, -1)).toEqual(expected);
    expect(expected).toHaveLength(10);
  });

  test('sums up in the last line', () => {
    const all = countByHand(data);
    const sum = (part: 'until' | 'after', name: keyof Counted): number =>
      all.reduce((total, one) => total + one[part][name], 0);
    const cells = COLUMNS.map((name) => `${sum('until', name)}+${sum('after', name)}`);
    expect(tableOf(ran.out).at(-1)?.slice(0, 7)).toEqual(['all', '', ...cells]);
  });

  test('lets six policies have their say, and leaves right conversations alone', () => {
    const all = countByHand(data);
    expect(new Set(all.flatMap(({ byPolicy }) => Object.keys(byPolicy)))).toEqual(
      new Set([
        'SpeakOrAct',
        'KeepBasicEconomyFlights',
        'LimitPaymentMethods',
        'CancelWithinRules',
        'CompensateOnRequest',
        'AskBeforeWriting',
      ]),
    );
    const untouched = tableOf(ran.out).filter((row) => row[7] === 'no');
    expect(untouched.map(([id, reward]) => [id, reward])).toEqual([
      ['airline-045', '1'],
      ['airline-055', '1'],
    ]);
  });

  test('shows each decision as it falls, with its reason', () => {
    const certificate = /block by CompensateOnRequest: The customer did not ask for compensation/g;
    expect(ran.out.match(certificate)).toHaveLength(2);
    const [, before, after] = ran.out.split(/^airline-(?:028|037)\b.*$/m);
    expect(before?.match(/requires-confirmation by AskBeforeWriting/g)).toHaveLength(4);
    expect(after).toContain('block by CompensateOnRequest');
  });

  test('has no colours when it is piped', () => {
    expect(ran.out).not.toContain('\u001b');
  });

  test('leaves nothing behind', () => {
    expect(readdirSync(temp)).toEqual([]);
  });
});

test('live without a key says what to set', async () => {
  const { code, err, out } = await demo(['--live']);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain('Set OPENAI_API_KEY');
}, 60_000);

test('what it cannot do is told, and fails', async () => {
  const missing = join(temp, 'missing');
  const { code, err } = await demo([], { TMPDIR: missing });
  expect(code).toBe(1);
  expect(err).toContain('The replay failed.');
}, 60_000);

function policies(counts: Record<string, number>): string {
  return Object.entries(counts)
    .map(([policy, count]) => `${policy} ${count}`)
    .join(', ')
    .replace(/^$/, '-');
}
