import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { HtmlReport } from '../../../src/cli/replay/html/html-report.ts';
import { type ReplayEntry, Totals } from '../../../src/testing/replay/report.ts';

const folder = mkdtempSync(join(tmpdir(), 'report-size-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a report holds what is worth reading first, and counts what it leaves out', () => {
  const path = join(folder, 'report.html');
  const report = new HtmlReport(path, { hooks: 'hooks.ts' });
  const source = { file: 'a.jsonl', line: 1 };
  const transcript = { ...{ id: 'c', source, messages: [], tools: [] }, approvals: new Map() };
  const quiet: ReplayEntry = {
    type: 'replayed',
    ...{ id: 'c', source, turns: 1, steps: 1, calls: 0 },
    ...{ decisions: [], problems: [], rewritten: false },
    transcript: { type: 'transcript', ...transcript },
  };
  for (let at = 0; at < 300; at += 1) report.add(quiet);
  for (let at = 0; at < 5; at += 1) report.add({ type: 'broken', source, problem: 'is no JSON' });
  report.end(new Totals(false).report());
  report.close();
  const page = readFileSync(path, 'utf8');
  expect(page.match(/class="conversation"/g)).toHaveLength(205);
  expect(page).toContain('"leftOut":100');
});

test('a report takes the place of an older one when it is whole, and not before', () => {
  const own = mkdtempSync(join(folder, 'older-'));
  const path = join(own, 'report.html');
  writeFileSync(path, 'older');
  const cut = new HtmlReport(path, { hooks: 'hooks.ts' });
  cut.add({ type: 'broken', source: { file: 'a.jsonl', line: 1 }, problem: 'is no JSON' });
  cut.close();
  expect(readFileSync(path, 'utf8')).toBe('older');
  const whole = new HtmlReport(path, { hooks: 'hooks.ts' });
  whole.end(new Totals(false).report());
  expect(readFileSync(path, 'utf8')).toBe('older');
  whole.close();
  expect(readFileSync(path, 'utf8')).toContain('</html>');
  expect(readdirSync(own)).toEqual(['report.html']);
});

test('what is no plain file is written to as it is', () => {
  const own = mkdtempSync(join(folder, 'link-'));
  const [path, link] = [join(own, 'report.html'), join(own, 'latest.html')];
  writeFileSync(path, '');
  symlinkSync(path, link);
  const report = new HtmlReport(link, { hooks: 'hooks.ts' });
  report.end(new Totals(false).report());
  report.close();
  expect(readFileSync(path, 'utf8')).toContain('</html>');
});
