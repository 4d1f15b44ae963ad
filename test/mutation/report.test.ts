import { expect, test } from 'vitest';
import { intervalOf, type Judged, reportOf, scoreOf } from './report.ts';

const mutant = (status: string, line = 1): Judged => ({
  fileName: 'src/loop/step.ts',
  location: { start: { line: line - 1, column: 0 }, end: { line, column: 0 } },
  mutatorName: 'BlockStatement',
  replacement: '{}',
  status,
});

test('code that no test runs counts as not caught, and what was not judged as nothing', () => {
  const judged = ['Killed', 'Timeout', 'Survived', 'NoCoverage'].map((status) => mutant(status));
  expect(scoreOf(judged)).toBe(50);
  expect(scoreOf([...judged, mutant('Ignored'), mutant('RuntimeError')])).toBe(50);
});

test('the interval is the one of Wilson', () => {
  const [low, high] = intervalOf(81, 263);
  expect(low).toBeCloseTo(25.53, 2);
  expect(high).toBeCloseTo(36.62, 2);
  expect(intervalOf(10, 10)[1]).toBeCloseTo(100, 9);
});

test('a sample is called one, with its interval', () => {
  const sample = [mutant('Killed'), mutant('Survived', 42)];
  const report = reportOf(sample, 15_000);
  expect(report).toContain('**50.0 %** of a random sample were caught');
  expect(report).toContain('it is 9.5 to 90.5 %');
  expect(report).toContain('- mutants there are: 15000');
  expect(report).toContain('- src/loop/step.ts:42 BlockStatement: `{}`');
});

test('what was caught by a test that was written for it is no part of the estimate', () => {
  const sample = [{ ...mutant('Killed'), first: 'Survived' }, mutant('Killed')];
  const report = reportOf(sample, 15_000);
  expect(report).toContain('**50.0 %** of a random sample were caught (1 of 2)');
  expect(report).toContain('it is 100.0 % of the sample');
  expect(report).toContain('- caught: 2,');
});

test('where all were judged there is no interval', () => {
  const report = reportOf([mutant('Killed'), mutant('NoCoverage')], 2);
  expect(report).toContain('**50.0 %** of all mutants');
  expect(report).not.toContain('confidence');
});
