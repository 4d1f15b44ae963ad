import { styleText } from 'node:util';
import { type Finding, sentenceOf } from '../errors/hook-validation-error.ts';
import type { CheckReport } from './check-project.ts';

/** One line for each finding, and one that counts them. */
export function reportLines(
  report: CheckReport,
  { isColoured, strict }: { readonly isColoured: boolean; readonly strict: boolean },
): readonly string[] {
  const { files, policies, errors, warnings, findings, leftOut } = report;
  const paint: Paint = (colour, text) =>
    isColoured ? styleText(colour, text, { validateStream: false }) : text;
  const checked = `${counted(policies.length, 'policy', 'policies')}, ${counted(files.length, 'file')}`;
  const outcome = `${counted(errors, 'error')}, ${counted(warnings, 'warning')}`;
  // Whoever reads this line alone must not take what was never looked at for what is in order.
  const counts = strict ? ', which --strict counts as an error' : '';
  const missing =
    leftOut.length === 0 ? '' : `; checks were left out${counts}: see the note on stderr`;
  const clean = leftOut.length === 0 ? 'green' : 'yellow';
  return [
    ...findings.map((finding) => lineOf(finding, paint)),
    `${paint(errors > 0 ? 'red' : clean, outcome)} (${checked})${missing}`,
  ];
}

type Paint = (colour: 'red' | 'yellow' | 'green' | 'dim', text: string) => string;

function lineOf(finding: Finding, paint: Paint): string {
  const { severity, code, fix, file, line = 1, column = 1 } = finding;
  const place = file === undefined ? '' : `${file}:${line}:${column} `;
  const label = paint(severity === 'error' ? 'red' : 'yellow', severity);
  return oneLine(`${place}${label} ${code} ${sentenceOf(finding)} ${paint('dim', `(${fix})`)}`);
}

/** What a name or a message brings along must not start a line of its own. */
function oneLine(text: string): string {
  return text.replace(/\s*[\r\n]+\s*/g, ' ');
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
