import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { tempFiles } from '../stores/temp-files.ts';
import { runProcess } from './processes/run-process.ts';

// A process takes its time to start on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const newPath = tempFiles();

test('a turn whose process was killed during the model call is brought to its structured answer by another', async () => {
  const [path, linesPath] = [newPath(), newPath()];
  const begin = join(import.meta.dirname, 'processes', 'structured.ts');
  await promisify(execFile)(process.execPath, [begin, path, linesPath, 'begin']);
  await sleep(300);
  const blind = await runProcess('structured.ts', path, linesPath, 'blind');
  expect(blind).toEqual({ status: 'refused', code: 'output-needed' });
  const resumed = await runProcess('structured.ts', path, linesPath, 'resume');
  expect(resumed).toMatchObject({
    status: 'completed',
    output: { at: '2026-01-02T03:04:05.000Z' },
    isDate: true,
    steps: 2,
  });
  expect(readFileSync(linesPath, 'utf8')).toBe('look\n');
});
