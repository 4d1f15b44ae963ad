import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { tempFiles } from '../../stores/temp-files.ts';

// A process takes its time to start on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const newPath = tempFiles();
const execute = promisify(execFile);
const script = join(import.meta.dirname, 'processes', 'answer.ts');

interface Printed {
  readonly status: string;
  readonly [key: string]: unknown;
}

async function inProcess(...args: readonly string[]): Promise<Printed> {
  const command = ['--conditions=agent-hooks-source', script, ...args];
  const { stdout } = await execute(process.execPath, command);
  return JSON.parse(stdout);
}

function timesPaid(linesPath: string): number {
  return existsSync(linesPath) ? readFileSync(linesPath, 'utf8').trim().split('\n').length : 0;
}

test('B32: an approval asked by a subagent of a subagent is listed at the top, answered in another process, and runs once', async () => {
  const [path, lines] = [newPath(), newPath()];
  const asked = await inProcess(path, lines, 'run');
  expect(asked).toMatchObject({
    status: 'awaiting-approval',
    listed: [
      {
        threadId: 't/1.1.0/1.1.0',
        topThreadId: 't',
        agent: 'clerk',
        agentPath: ['desk', 'office'],
        toolName: 'pay',
        requirements: [{ policy: 'ask-first' }],
      },
    ],
  });
  expect(asked['listed']).toEqual(asked['approvals']);
  expect(timesPaid(lines)).toBe(0);

  const answered = await inProcess(path, lines, 'answer');
  expect(answered).toMatchObject({ status: 'completed', text: 'desk done', listed: [] });
  expect(answered['usage']).toEqual({ inputTokens: 60, outputTokens: 120 });
  expect(timesPaid(lines)).toBe(1);

  const again = await inProcess(path, lines, 'answer');
  expect(again).toEqual({ status: 'refused', code: 'nothing-to-continue' });
  expect(timesPaid(lines)).toBe(1);
});

test('of two processes that answer at the same moment one is refused, and the call runs once', async () => {
  const [path, lines] = [newPath(), newPath()];
  await inProcess(path, lines, 'run');
  const startAt = String(Date.now() + 2_500);
  const both = await Promise.all(
    [1, 2].map(() => inProcess(path, lines, 'answer', 'ask', startAt)),
  );
  expect(both.filter(({ status }) => status === 'completed')).toHaveLength(1);
  expect(both).toContainEqual(
    expect.objectContaining({
      code: expect.stringMatching(/^(thread-busy|approval-answered|nothing-to-continue)$/),
    }),
  );
  expect(timesPaid(lines)).toBe(1);
});

test('a process killed while a subagent pays leaves a thread another goes on with, and nothing is paid again', async () => {
  const [path, lines] = [newPath(), newPath()];
  await expect(inProcess(path, lines, 'die', 'none')).rejects.toMatchObject({ signal: 'SIGKILL' });
  await new Promise((resolve) => setTimeout(resolve, 600));
  const result = await inProcess(path, lines, 'answer', 'none');
  expect(result).toMatchObject({ status: 'completed', text: 'desk done' });
  expect(timesPaid(lines)).toBe(0);
});

test('twin: without the policy of the desk the first process pays', async () => {
  const [path, lines] = [newPath(), newPath()];
  expect(await inProcess(path, lines, 'run', 'none')).toMatchObject({ status: 'completed' });
  expect(timesPaid(lines)).toBe(1);
});
