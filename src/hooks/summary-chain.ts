import type { DecisionCodec } from '../decisions/codec.ts';
import type { Message } from '../protocol/message.ts';
import type { Ask } from './ask.ts';
import { CANCELLED } from './ask.ts';
import { Chain, type ChainSetting, type Rewrite } from './chain.ts';
import type { HookFailed, SummaryVerdict } from './gate.ts';
import type { Question } from './record.ts';

/** The text of a policy, in the form in which answers are read and recorded. */
export interface Summarize {
  readonly type: 'summarize';
  readonly summary: string;
}

/** What `onContextCompact` may answer. In no table of decisions: there any text would pass for one. */
export const summaryAnswerCodec: DecisionCodec<Summarize> = {
  name: 'summary',
  types: ['summarize'],
  read(value) {
    if (typeof value !== 'string') return { problem: 'is no text' };
    const summary = value.toWellFormed();
    if (summary.trim() === '')
      return { problem: 'is an empty text; return nothing for no opinion' };
    return { decision: Object.freeze({ type: 'summarize', summary }) };
  },
};

/** More characters than so many tokens have in any language, and still a bound. */
export function maxSummaryChars(maxSummaryTokens: number): number {
  return maxSummaryTokens * 8;
}

/** Why a text cannot be the summary. */
export function summaryMisfit(summary: string, maxChars: number): string | undefined {
  if (summary.length <= maxChars) return undefined;
  return `has ${summary.length} characters, and ${maxChars} are allowed`;
}

/** Asks one policy after the other; the first that gives a text has made the summary. */
export class SummaryChain extends Chain<readonly Message[], Summarize, never, SummaryVerdict> {
  protected override readonly rechecks = false;
  readonly #maxChars: number;

  constructor(setting: ChainSetting, messages: readonly Message[], maxChars: number) {
    const entries = setting.entries.map((entry) => ({ ...entry, codec: summaryAnswerCodec }));
    super({ ...setting, entries }, messages);
    this.#maxChars = maxChars;
  }

  protected override question(recheck: boolean): Question {
    const { point, moment } = this.setting;
    return {
      point,
      payload: this.value,
      moment,
      recheck,
      // The codec above reads nothing else.
      misfit: (decision) => summaryMisfit((decision as Summarize).summary, this.#maxChars),
    };
  }

  protected override rewrite(): Rewrite<readonly Message[]> {
    return { problem: 'the history cannot be changed' };
  }

  protected override judge({ summary }: Summarize, ask: Ask): SummaryVerdict {
    return { type: 'summary', text: summary, policy: ask.entry.policy };
  }

  protected override isSettled(): boolean {
    return true;
  }

  protected override conclude(): SummaryVerdict {
    return NO_OPINION;
  }

  protected override failed(failure: HookFailed): SummaryVerdict {
    return failure;
  }

  protected override cancelled(): SummaryVerdict {
    return CANCELLED;
  }
}

const NO_OPINION: SummaryVerdict = Object.freeze({ type: 'no-opinion' });
