import { ConfigError } from '../errors/config-error.ts';
import type { Note, NoteInfo, Spending } from '../loop/note.ts';
import type { TurnLimits } from '../loop/rules.ts';
import { totalTokens } from '../protocol/usage.ts';

export interface BudgetNoteOptions {
  /** The share of a limit, above 0 and up to 1, from which on the model is told. Default: 0.8. */
  readonly at?: number;
}

/**
 * A note that tells the model how much of a limit of the turn or the thread is spent, once that is much, and in the
 * last step to answer without further calls. Limits that are not set are not spoken of.
 */
export function budgetNote({ at = 0.8 }: BudgetNoteOptions = {}): Note {
  if (typeof at !== 'number' || !(at > 0 && at <= 1)) {
    throw new ConfigError('invalid-option', {
      where: 'budgetNote',
      what: '`at` is no share of a limit',
      fix: 'Pass a number above 0 and up to 1',
    });
  }
  return Object.freeze({ name: 'budget', text: (info) => textOf(info, at) } satisfies Note);
}

function textOf({ limits, turn, thread }: NoteInfo, at: number): string | undefined {
  const shares = [
    ...sharesOf(limits, turn, 'turn'),
    ...sharesOf(limits.thread ?? {}, thread, 'conversation'),
  ].filter(({ share }) => share >= at);
  if (shares.length === 0) return undefined;
  const isLast = shares.some(({ isLastStep }) => isLastStep);
  const spent = shares.map(({ text }) => text).join(' ');
  return `${spent} ${isLast ? LAST : SOON}`;
}

const LAST = 'This is the last step: give your answer now, a further call would not be run.';
const SOON = 'Come to an end: give your answer as soon as you can.';

interface Share {
  readonly share: number;
  readonly text: string;
  readonly isLastStep: boolean;
}

function sharesOf(limits: TurnLimits, spent: Spending, whose: string): readonly Share[] {
  const { steps, tokens, cost, wallTimeMs } = limits;
  const shares: Share[] = [];
  const add = (share: number, text: string, isLastStep = false): void => {
    shares.push({ share, text, isLastStep });
  };
  if (steps !== undefined) {
    const text = `This is step ${spent.steps} of at most ${steps} of this ${whose}.`;
    add(spent.steps / steps, text, spent.steps >= steps);
  }
  const used = totalTokens(spent.usage);
  if (tokens !== undefined)
    add(used / tokens, `${used} of at most ${tokens} tokens of this ${whose} are spent.`);
  if (cost !== undefined && spent.cost !== undefined) {
    const percent = Math.round((spent.cost / cost) * 100);
    add(spent.cost / cost, `${percent} % of what this ${whose} may cost is spent.`);
  }
  if (wallTimeMs !== undefined) {
    const [now, most] = [spent.activeMs, wallTimeMs].map((ms) => Math.round(ms / 1_000));
    add(spent.activeMs / wallTimeMs, `${now} of at most ${most} s of this ${whose} are over.`);
  }
  return shares;
}
