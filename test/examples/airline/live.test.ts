import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..', '..');
const mock = new LLMock({ port: 0 });
const call = (name: string): { name: string; arguments: string } => ({
  name,
  arguments: '{"reservation_id":"3RK2T9"}',
});

// Each turn's last message of the customer decides, and whether a tool has answered since.
mock.on(
  { userMessage: 'cancel 3RK2T9', hasToolResult: false },
  { toolCalls: [call('get_reservation_details')] },
);
mock.on(
  { userMessage: 'cancel 3RK2T9', hasToolResult: true },
  { content: 'Shall I cancel 3RK2T9?' },
);
mock.on({ userMessage: 'Yes, please', turnIndex: 2 }, { toolCalls: [call('cancel_reservation')] });
mock.on({ userMessage: 'Yes, please', turnIndex: 3 }, { content: 'I may not cancel it.' });

beforeAll(async () => {
  await mock.start();
});
afterAll(() => mock.stop());

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function talk(...lines: readonly string[]): Promise<Ran> {
  const child = spawn(
    process.execPath,
    ['--conditions=agent-hooks-source', 'examples/airline/main.ts', '--live'],
    {
      cwd: root,
      env: { ...process.env, OPENAI_API_KEY: 'none', OPENAI_BASE_URL: `${mock.url}/v1` },
      timeout: 30_000,
    },
  );
  const ran = { out: '', err: '' };
  child.stdout.on('data', (chunk) => (ran.out += chunk));
  child.stderr.on('data', (chunk) => (ran.err += chunk));
  child.stdin.end(lines.map((line) => `${line}\n`).join(''));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, ...ran })));
}

test('the customer types, the model answers over its protocol, and a person says no', async () => {
  const { code, out, err } = await talk('Please cancel 3RK2T9.', 'Yes, please.', 'n', '');
  expect(err).toBe('');
  expect(code).toBe(0);
  expect(out).toContain('agent: Shall I cancel 3RK2T9?');
  expect(out).toContain('Did the airline cancel a flight of it? [y/N]');
  expect(out).toContain('=> cancel_reservation is denied');
  expect(out).toContain('agent: I may not cancel it.');
}, 40_000);

test('a provider that fails ends it with the reason', async () => {
  const { code, err } = await talk('Something no answer was written for.');
  expect(code).toBe(1);
  expect(err).toContain('The turn ended failed: ');
}, 40_000);
