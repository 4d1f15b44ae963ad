import { inspect } from 'node:util';
import type { Fault, FuzzReport } from './fault.ts';
import type { Subject } from './subject.ts';

type Found = Pick<FuzzReport, 'faults' | 'runs' | 'decisions' | 'elapsedMs'>;

export function reportOf(
  { policy, point, setting }: Pick<Subject, 'policy' | 'point' | 'setting'>,
  found: Found,
): FuzzReport {
  const facts = { policy, point, ok: found.faults.length === 0, seed: setting.seed, ...found };
  return Object.freeze({ ...facts, text: textOf(facts) });
}

function textOf(report: Omit<FuzzReport, 'text'>): string {
  const { policy, point, faults, seed, runs, decisions, elapsedMs } = report;
  const count =
    faults.length === 0
      ? 'no fault'
      : `${faults.length} ${faults.length === 1 ? 'fault' : 'faults'}`;
  const given = Object.entries(decisions).map(([kind, times]) => `${kind} ${times}`);
  return [
    `${policy} at ${point}: ${count} in ${runs} inputs (seed ${seed}, ${elapsedMs} ms)`,
    `answers: ${given.join(', ') || 'none'}`,
    ...(point !== 'onEvent' && faults.length === 0 && hasOnlyAbstained(decisions)
      ? ['note: it had no opinion on any of them. Give `tools` or `examples` that it acts on']
      : []),
    ...faults.flatMap((fault, index) => ['', ...faultLines(fault, index, report)]),
  ].join('\n');
}

function hasOnlyAbstained(decisions: FuzzReport['decisions']): boolean {
  const kinds = Object.keys(decisions);
  return kinds.length === 1 && kinds[0] === 'none';
}

function faultLines(
  { kind, says, input }: Fault,
  index: number,
  { point, seed }: Omit<FuzzReport, 'text'>,
): readonly string[] {
  const { payload, result, messages } = input;
  return [
    `${index + 1}. ${kind}: ${says}`,
    `   smallest input: ${indented(payload)}`,
    ...(result === undefined ? [] : [`   result: ${indented(result)}`]),
    ...(messages.length === 0 ? [] : [`   messages: ${indented(messages)}`]),
    `   again: fuzzPolicy(policy, '${point}', { ...sameOptions, seed: ${seed} })`,
  ];
}

const MAX_SHOWN = 1_500;

function indented(value: unknown): string {
  const text = inspect(value, { depth: 8, breakLength: 100, maxStringLength: 120 });
  const short =
    text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}… (${text.length} characters)` : text;
  return short.replaceAll('\n', '\n   ');
}
