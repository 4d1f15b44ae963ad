import type { AgentEvent } from '../../src/index.ts';
import type { Script } from './script.ts';

/** What a fault does to the process it strikes, beside what `World` notes of it. */
export interface Strikes {
  readonly cancel: () => void;
  readonly abort: () => void;
  readonly advance: () => void;
  readonly disturb: () => void;
}

/** One call of an agent, as a process of its own: it counts its moments, and may be struck at one of them. */
export class Process {
  readonly leg: number;
  /** The word of the latest message of the user when it began. */
  readonly userWord: string;
  /** The step whose batch was judged by an earlier process, as `turn.step`. */
  readonly rejudges: string | undefined;
  readonly heard: AgentEvent[] = [];
  readonly streamed: AgentEvent[] = [];
  /** Settles when nobody waits for this process any more. */
  readonly abandoned: Promise<'abandoned'>;
  /** Settles when it stands still. */
  readonly stopped: Promise<void>;
  /** Its store does not answer any more. */
  dead = false;
  /** Its store does not even fail, and its policies are not asked. */
  frozen = false;
  takenOver = false;
  /** Cancelled while a policy, the model or a tool was at work: nothing of the turn may go on after that. */
  cancelledInside = false;
  commitFault: 'fail' | 'lose' | undefined;
  /** Every fault that struck so far. */
  readonly struck: string[] = [];
  #moments = 0;
  readonly #faults: readonly { readonly at: number; readonly what: string }[];
  readonly #strikes: Strikes;
  #abandon: (why: 'abandoned') => void = () => undefined;
  #stop: () => void = () => undefined;

  constructor(
    script: Script,
    begin: {
      readonly leg: number;
      readonly userWord: string;
      readonly rejudges?: string | undefined;
    },
    strikes: Strikes,
  ) {
    this.leg = begin.leg;
    this.userWord = begin.userWord;
    this.rejudges = begin.rejudges;
    this.#faults = (script.faults ?? []).filter(({ leg }) =>
      leg === 'early' ? begin.leg < 6 : leg === begin.leg,
    );
    this.#strikes = strikes;
    this.abandoned = new Promise((resolve) => {
      this.#abandon = resolve;
    });
    this.stopped = new Promise((resolve) => {
      this.#stop = resolve;
    });
  }

  /** Whether any of these has struck it. */
  was(...faults: readonly string[]): boolean {
    return this.struck.some((what) => faults.includes(what));
  }

  /** True for a call that an earlier process judged first. */
  judgesAgain(callId: string): boolean {
    return this.rejudges !== undefined && callId.startsWith(`${this.rejudges}.`);
  }

  /** Something of the run happens, inside of a commit or not. */
  readonly moment = (commits?: 'commit'): void => {
    this.#moments += 1;
    const wasCancelled = this.was('cancel', 'abort');
    this.#strikeAll();
    if (commits === undefined && !wasCancelled && this.was('cancel', 'abort')) {
      this.cancelledInside = true;
    }
  };

  #strikeAll(): void {
    for (const { at, what } of this.#faults) if (at === this.#moments) this.#strike(what);
  }

  #strike(what: string): void {
    if (this.frozen || this.dead) return;
    // Time passes for everybody: who has the thread by now must not lose it over this one.
    if (this.takenOver && what === 'take over') return;
    this.struck.push(what);
    switch (what) {
      case 'cancel':
        this.#strikes.cancel();
        return;
      case 'abort':
        this.#strikes.abort();
        return;
      case 'busy':
        // A thread that was given up is another's to take.
        if (!this.takenOver) this.#strikes.disturb();
        return;
      case 'die':
        this.dead = true;
        return;
      case 'freeze':
        this.dead = true;
        this.frozen = true;
        this.#stop();
        this.#abandon('abandoned');
        return;
      case 'take over':
        this.takenOver = true;
        this.#strikes.advance();
        this.#abandon('abandoned');
        return;
      case 'fail':
      case 'lose':
        this.commitFault = what;
        return;
    }
  }
}
