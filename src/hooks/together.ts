import type { Ask, Asked } from './ask.ts';
import type { Move } from './entry.ts';
import type { HookFailed } from './gate.ts';
import { type Outcome, Wait } from './wait.ts';

/**
 * Policies that are asked at the same time about the same value. All are waited for, but for what a failure makes
 * pointless: once a policy has failed where that is closed, those still running are told by their signal.
 */
export class Together {
  readonly asks: readonly Ask[];
  /** What came of each; complete when all is over. */
  readonly #answers: Asked[] = [];
  readonly #evenIfCancelled: boolean;
  readonly #waits = new Map<number, Wait<Ask>>();
  #failure: HookFailed | undefined;
  #tell: ((over: Together) => void) | undefined;

  constructor(asks: readonly Ask[], evenIfCancelled: boolean) {
    this.asks = asks;
    this.#evenIfCancelled = evenIfCancelled;
  }

  /** True when those that gave no answer were cut off because another had failed: it is then no failure of theirs. */
  get gaveUp(): boolean {
    return this.#failure !== undefined;
  }

  /** Asks everyone. True when nobody has to be waited for. */
  start(): boolean {
    for (const [place, ask] of this.asks.entries()) {
      const asked = ask.start(this.#evenIfCancelled);
      if (asked instanceof Wait) {
        this.#waits.set(place, asked);
        asked.whenOver((outcome) => this.#finish(place, ask, outcome));
      } else {
        this.#take(place, ask, asked);
      }
    }
    if (this.#failure !== undefined) this.#giveUp(this.#failure);
    return this.#waits.size === 0;
  }

  /** Tells when all is over, once and never at once. Asked for as soon as they are started. */
  whenOver(tell: (over: Together) => void): void {
    this.#tell = tell;
  }

  /** What came of each, in the order of the list. */
  inOrder(): readonly { readonly ask: Ask; readonly asked: Asked; readonly place: number }[] {
    return this.asks.map((ask, place) => ({ ask, asked: this.#answers[place], place }));
  }

  /** The decisions that count, where one may end the chain the most restrictive first. */
  bySeverity(): readonly { readonly ask: Ask; readonly decision: Move; readonly place: number }[] {
    return this.inOrder()
      .flatMap(({ ask, asked, place }) =>
        asked !== undefined && 'decision' in asked && !ask.entry.shadow
          ? [{ ask, decision: asked.decision, place }]
          : [],
      )
      .sort((a, b) => severity(b.decision) - severity(a.decision));
  }

  #finish(place: number, ask: Ask, outcome: Outcome): void {
    this.#waits.delete(place);
    const isFirst = this.#failure === undefined;
    this.#take(place, ask, ask.finish(outcome, this.#evenIfCancelled));
    if (isFirst && this.#failure !== undefined) this.#giveUp(this.#failure);
    if (this.#waits.size === 0) this.#tell?.(this);
  }

  #take(place: number, ask: Ask, asked: Asked): void {
    const read = withoutRewrite(ask, asked);
    this.#answers[place] = read;
    if (read === undefined || 'decision' in read || read.type !== 'failed') return;
    const { failure, shadow } = ask.entry;
    if (failure === 'closed' && !shadow) this.#failure ??= read;
  }

  #giveUp({ error }: HookFailed): void {
    for (const wait of this.#waits.values()) wait.interrupt(error);
  }
}

/** Of two rewrites nobody would know which came first, and neither would have judged the other. */
function withoutRewrite(ask: Ask, asked: Asked): Asked {
  const isRewrite = asked !== undefined && 'decision' in asked && asked.decision.type === 'modify';
  if (!isRewrite) return asked;
  const error = ask.error('illegal', {
    detail: 'a policy that is asked at the same time as others gave a rewrite',
    fix: 'Take it out of `parallel`',
  });
  return { type: 'failed', error };
}

/** The tool gate weighs its votes itself; everywhere else a Block and a Retry end the chain, whichever comes first. */
function severity({ type }: Move): number {
  return type === 'block' ? 1 : 0;
}
