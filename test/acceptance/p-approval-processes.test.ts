import { existsSync, readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { tempFiles } from '../stores/temp-files.ts';
import { runProcess } from './processes/run-process.ts';

// A process takes its time to start on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

const newPath = tempFiles();

function timesRun(linesPath: string): number {
  return existsSync(linesPath) ? readFileSync(linesPath, 'utf8').trim().split('\n').length : 0;
}

async function ask(path: string, linesPath: string): Promise<string> {
  const asked = await runProcess('approve.ts', path, linesPath);
  expect(asked).toMatchObject({ status: 'awaiting-approval', approvals: [{ toolName: 'pay' }] });
  const { approvals } = asked as { readonly approvals: readonly { readonly approvalId: string }[] };
  return approvals[0]?.approvalId ?? '';
}

test('P05: an approval asked for in one process is answered in another, and the call runs once', async () => {
  const [path, linesPath] = [newPath(), newPath()];
  const approvalId = await ask(path, linesPath);
  expect(timesRun(linesPath)).toBe(0);

  const answered = await runProcess('approve.ts', path, linesPath, approvalId);
  expect(answered).toMatchObject({ status: 'completed', text: 'done', turnId: '1' });
  expect(timesRun(linesPath)).toBe(1);

  const again = await runProcess('approve.ts', path, linesPath, approvalId);
  expect(again).toEqual({ status: 'refused', code: 'approval-answered' });
  expect(timesRun(linesPath)).toBe(1);
}, 30_000);

test('P05: of two processes that answer at the same moment one is refused, and the call runs once', async () => {
  const [path, linesPath] = [newPath(), newPath()];
  const approvalId = await ask(path, linesPath);
  const startAt = String(Date.now() + 1_500);
  const both = await Promise.all(
    [1, 2].map(() => runProcess('approve.ts', path, linesPath, approvalId, 'ask', startAt)),
  );
  const statuses = both.map((result) => (result as { readonly status: string }).status);
  expect(statuses.toSorted()).toEqual(['completed', 'refused']);
  expect(both).toContainEqual(
    expect.objectContaining({ code: expect.stringMatching(/^(thread-busy|approval-answered)$/) }),
  );
  expect(timesRun(linesPath)).toBe(1);
}, 30_000);

test('P05 twin: without the policy the first process runs the call itself', async () => {
  const [path, linesPath] = [newPath(), newPath()];
  const result = await runProcess('approve.ts', path, linesPath, '', 'none');
  expect(result).toMatchObject({ status: 'completed' });
  expect(timesRun(linesPath)).toBe(1);
}, 30_000);
