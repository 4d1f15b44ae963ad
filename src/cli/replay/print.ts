import { styleText } from 'node:util';
import type { ReplayDifference } from '../../testing/replay/compare.ts';
import type { ReplayDecision } from '../../testing/replay/course.ts';
import type {
  ReplayCount,
  ReplayEntry,
  ReplayedConversation,
  ReplayReport,
} from '../../testing/replay/report.ts';
import type { TranscriptSource } from '../../testing/replay/transcript.ts';
import { isNews } from './fail-on.ts';
import { counted, plain } from './plain.ts';

type Colour = 'green' | 'red' | 'yellow' | 'magenta' | 'cyan' | 'bold' | 'dim';
type Paint = (colour: Colour, text: string) => string;

const COLOURS: Readonly<Record<string, Colour>> = {
  block: 'red',
  failed: 'red',
  abort: 'red',
  'requires-confirmation': 'yellow',
  'retry-with-feedback': 'magenta',
  modify: 'cyan',
};

/** The lines of a replay, for a person. */
export class ReplayPrinter {
  readonly #paint: Paint;

  constructor(isColoured: boolean) {
    this.#paint = (colour, text) =>
      isColoured ? styleText(colour, text, { validateStream: false }) : text;
  }

  /** One conversation; nothing for one that nobody has to look at. */
  entry(entry: ReplayEntry): readonly string[] {
    const paint = this.#paint;
    if (entry.type === 'broken') {
      const id = entry.id === undefined ? '' : `${plain(entry.id)}: `;
      return [`${place(entry.source)} ${paint('red', 'broken')} ${id}${plain(entry.problem)}`];
    }
    const lines = [
      ...entry.problems.map((problem) => `  ${paint('red', 'problem')} ${plain(problem)}`),
      ...(entry.differences === undefined
        ? this.#decided(entry)
        : this.#compared(entry.differences)),
    ];
    if (lines.length === 0) return [];
    return [
      `${paint('bold', plain(entry.id))} ${paint('dim', `(${place(entry.source)})`)}`,
      ...lines,
    ];
  }

  report(report: ReplayReport): readonly string[] {
    const { conversations, diverged, broken, problems, turns, steps, calls, differences } = report;
    const facts = [
      `${diverged} diverged`,
      ...(differences === undefined
        ? []
        : [`${counted(differences.until, 'difference')}${behind(differences.after)}`]),
      ...(broken > 0 ? [this.#paint('red', `${broken} broken`)] : []),
      ...(problems > 0 ? [this.#paint('red', `${problems} with problems`)] : []),
    ];
    const size = `${counted(turns, 'turn')}, ${counted(steps, 'model call')}, ${counted(calls, 'tool call')}`;
    return [
      ...table(report.decisions),
      `${counted(conversations, 'conversation')}: ${facts.join(', ')} (${size})`,
    ];
  }

  #decided({ decisions, diverged }: ReplayedConversation): readonly string[] {
    const shown = decisions.filter(({ decision }) => isNews(decision));
    const lines = shown.map((one) => this.#decision(one));
    const first = shown.findIndex(({ after }) => after);
    if (diverged === undefined || first === -1) return lines;
    return lines.toSpliced(first, 0, this.#paint('dim', `  ${DIVERGED}`));
  }

  #decision(one: ReplayDecision): string {
    const text = `  ${whereOf(one)}: ${wordsOf(one)}`;
    return this.#paint(one.after ? 'dim' : (COLOURS[one.decision] ?? 'green'), text);
  }

  #compared(differences: readonly ReplayDifference[]): readonly string[] {
    return differences.map((one) => {
      if (one.type === 'rewrite') {
        const call = one.call === undefined ? '' : `, call ${one.call + 1}`;
        const text = `  turn ${one.turn}, step ${one.step}${call}: ${REWRITES[one.what]}`;
        return one.after ? this.#paint('dim', text) : text;
      }
      const { hooks, against } = one;
      const text = `  ${whereOf(hooks ?? against)}: ${sideOf(hooks)} instead of ${sideOf(against)}`;
      return one.after ? this.#paint('dim', text) : text;
    });
  }
}

const DIVERGED = '-- diverged: the record goes on as if nothing had happened; counted apart --';

const REWRITES = {
  request: 'the model is sent something else, by a rewrite or a feedback',
  input: 'the tool is given something else, by a rewrite',
  text: 'the user is shown something else, by a rewrite',
} as const;

export function place({ file, line }: TranscriptSource): string {
  return plain(line === undefined ? file : `${file}:${line}`);
}

function whereOf(one: ReplayDecision | undefined): string {
  if (one === undefined) return '';
  const { turn, step, point, toolName } = one;
  const tool = toolName === undefined ? '' : ` ${plain(toolName)}`;
  return `turn ${turn}, step ${step}, ${point}${tool}`;
}

function wordsOf({ decision, policy, reason, shadow, again }: ReplayDecision): string {
  const marks = [...(shadow === true ? ['on trial'] : []), ...(again === true ? ['again'] : [])];
  const marked = marks.length === 0 ? '' : ` (${marks.join(', ')})`;
  const why = reason === undefined ? '' : `: ${plain(reason)}`;
  return `${decision} by ${plain(policy)}${marked}${why}`;
}

function sideOf(one: ReplayDecision | undefined): string {
  return one === undefined ? 'nothing' : wordsOf(one);
}

function behind(after: number): string {
  return after === 0 ? '' : `, ${after} behind a divergence`;
}

/** `3+2` is three until the divergences and two behind them. */
function table(counts: readonly ReplayCount[]): readonly string[] {
  if (counts.length === 0) return [];
  const rows = [
    ['policy', 'point', 'decision', 'count'],
    ...counts.map(({ policy, point, decision, shadow, until, after }) => [
      plain(policy),
      point,
      shadow === true ? `${decision} (on trial)` : decision,
      after === 0 ? `${until}` : `${until}+${after}`,
    ]),
  ];
  const widths = [0, 1, 2, 3].map((at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const lines = rows.map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  '));
  return [...lines.map((line) => line.trimEnd()), ''];
}
