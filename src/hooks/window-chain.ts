import type { WindowDecision } from '../decisions/window-decision.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import { unreachable } from '../internal/unreachable.ts';
import type { TextWindow } from '../protocol/texts.ts';
import { type Ask, CANCELLED } from './ask.ts';
import { Chain, type ChainSetting, type Rewrite } from './chain.ts';
import type { HookEntry, Move } from './entry.ts';
import type { HookFailed, WindowGate, WindowVerdict } from './gate.ts';
import type { Question } from './record.ts';

/**
 * The windows of one answer. There may be as many as the answer has pieces, so the record is kept short: of each
 * policy it holds a block, a failure and what was said to the whole text, each once.
 */
export class AnswerWindows implements WindowGate {
  readonly #setting: ChainSetting;
  readonly #blocked = new Set<HookEntry>();
  readonly #failed = new Set<HookEntry>();

  constructor(setting: ChainSetting) {
    this.#setting = setting;
  }

  ask(window: TextWindow): MaybePromise<WindowVerdict> {
    return new WindowChain(this.#setting, Object.freeze(window), this.#isNews).run();
  }

  readonly #isNews: IsNews = (entry, decision, { isFinal }) => {
    if (decision?.type === 'release') return isFinal;
    const told = decision === undefined ? this.#failed : this.#blocked;
    if (told.has(entry)) return false;
    told.add(entry);
    return true;
  };
}

type IsNews = (entry: HookEntry, decision: Move | undefined, window: TextWindow) => boolean;

/** Everyone is asked about the same text: the least that is released counts, and the first Block ends it. */
class WindowChain extends Chain<TextWindow, WindowDecision, never, WindowVerdict> {
  #chars: number;
  readonly #isNews: IsNews;

  constructor(setting: ChainSetting, window: TextWindow, isNews: IsNews) {
    super(setting, window);
    // Nobody but policies on trial is nobody who could let anything go.
    this.#chars = setting.entries.some(({ shadow }) => !shadow) ? window.text.length : 0;
    this.#isNews = isNews;
  }

  protected override question(recheck: boolean): Question {
    const { point, moment } = this.setting;
    return {
      point,
      payload: this.value,
      moment,
      recheck,
      misfit: (decision) => windowMisfit(decision, this.value),
      isNews: (entry, decision) => this.#isNews(entry, decision, this.value),
    };
  }

  protected override rewrite(): Rewrite<TextWindow> {
    return { problem: 'text that is held cannot be changed' };
  }

  protected override judge(decision: WindowDecision, { entry }: Ask): WindowVerdict | undefined {
    switch (decision.type) {
      case 'release':
        this.#chars = Math.min(this.#chars, decision.chars);
        return undefined;
      case 'block':
        return { type: 'block', policy: entry.policy, reason: decision.reason };
      default:
        return unreachable(decision, 'window chain');
    }
  }

  protected override isSettled(): boolean {
    return true;
  }

  protected override conclude(): WindowVerdict {
    return { type: 'release', chars: this.#chars };
  }

  protected override failed(failure: HookFailed): WindowVerdict {
    return failure;
  }

  protected override cancelled(): WindowVerdict {
    return CANCELLED;
  }
}

/**
 * Why a decision cannot be one about this window. The codec has read it: what it released is a whole number from 0.
 */
export function windowMisfit(decision: Move, { text, isFinal }: TextWindow): string | undefined {
  if (decision.type !== 'release') return undefined;
  const { chars } = decision as Extract<WindowDecision, { readonly type: 'release' }>; // told apart by its type
  if (chars > text.length) return `releases ${chars} characters where ${text.length} are held`;
  // Whoever holds something back has not let it through, and nothing will come that could change that.
  return isFinal && chars < text.length
    ? `holds ${text.length - chars} characters back where the answer has ended: release all, or block`
    : undefined;
}
