import type { HookError } from '../errors/hook-error.ts';
import { isThenable } from '../internal/is-thenable.ts';
import { jsonEqual } from '../internal/json-equal.ts';
import { Later } from '../internal/later.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { HookPoint } from './agent-hooks.ts';
import { Ask, type Asked } from './ask.ts';
import type { HookEntry, Move } from './entry.ts';
import type { HookFailed, Moment } from './gate.ts';
import type { HookRun } from './hook-run.ts';
import { type Question, recordDecision, recordFailure } from './record.ts';
import { Together } from './together.ts';
import { type Outcome, Wait } from './wait.ts';

/** A value to put in the place of the one that was judged, or why it does not fit there. */
export type Rewrite<Value> = { readonly value: Value } | { readonly problem: string };

/** Where and when a chain is asked. */
export interface ChainSetting {
  readonly run: HookRun;
  readonly point: HookPoint;
  readonly entries: readonly HookEntry[];
  readonly moment: Moment;
  /** Everyone has been asked about what this value was before: all are asked for their verdict only, as in C1. */
  readonly again?: true;
}

/**
 * Asks the policies of one point about one value, each seeing it as the one before left it. Invariants:
 *
 * C1  A rewrite bypasses no verdict: everyone who was asked before the last policy that changed the value is
 *     asked once more about the final value, for the verdict only; a further change there is a failure.
 * C2  A failure where the policy is closed ends the chain, whatever the others say.
 * C3  A failure where it is open is recorded, and is then no opinion.
 * C4  After a cancel nobody is asked, and no answer counts.
 * C5  What a policy on trial says is recorded, and is then no opinion.
 * C6  Of those asked at the same time everyone is recorded before the most restrictive of them counts.
 *
 * As long as answers are synchronous no promise is made; the first that is not is where waiting begins.
 */
export abstract class Chain<Value, Plain extends Move, Modify extends Move, Verdict> {
  protected value: Value;
  protected modified = false;
  /** The position of the policy being asked. */
  protected index = -1;
  /** The position of the last policy that changed the value; everyone before it is asked again. */
  protected lastModifier = -1;
  protected readonly setting: ChainSetting;
  /** False where the order of asking cannot be undone by a rewrite. */
  protected readonly rechecks: boolean = true;
  /** True where a value is recorded even after a cancel. */
  protected readonly evenIfCancelled: boolean = false;
  #rechecking = false;
  /** A rewrite whose check is waited for. */
  #unchecked: Modify | undefined;

  constructor(setting: ChainSetting, value: Value) {
    this.setting = setting;
    this.value = value;
    if (setting.again !== true) return;
    this.#rechecking = true;
    this.lastModifier = setting.entries.length;
  }

  protected abstract question(recheck: boolean): Question;
  protected abstract rewrite(decision: Modify, recheck: boolean): MaybePromise<Rewrite<Value>>;
  /** Takes a decision that changes nothing. A verdict ends the chain. */
  protected abstract judge(decision: Plain, ask: Ask): Verdict | undefined;
  /** True when the value is refused whatever its final form: asking again could change nothing. */
  protected abstract isSettled(): boolean;
  /** Everyone has been asked. */
  protected abstract conclude(): Verdict;
  /** A failure where the policy is closed. A verdict ends the chain. */
  protected abstract failed(failure: HookFailed): Verdict | undefined;
  /** Cut off by a cancel. A verdict ends the chain. */
  protected abstract cancelled(ask: Ask): Verdict | undefined;

  run(): MaybePromise<Verdict> {
    return this.runThen(identity);
  }

  /** Hands the verdict on to `take` without a promise in between. */
  runThen<Result>(take: (verdict: Verdict) => MaybePromise<Result>): MaybePromise<Result> {
    // A model, a tool, a schema or a wait may have come before: none of their time is taken off a policy's.
    this.setting.run.ports.passTime?.();
    const reached = this.#advance();
    return isWaited(reached) ? this.#goOnAfter(reached, take) : take(reached);
  }

  /** One thing to wait for, however many of the chain are waited for. */
  #goOnAfter<Result>(
    first: Waited,
    take: (verdict: Verdict) => MaybePromise<Result>,
  ): Later<Result> {
    const later = new Later<Result>();
    const goOn = (over: Outcome | Together, by?: Ask): void => {
      let taken: MaybePromise<Result>;
      try {
        const reached = this.#takeOver(over, by) ?? this.#advance();
        if (isWaited(reached)) {
          reached.whenOver(goOn);
          return;
        }
        taken = take(reached);
      } catch (error) {
        later.reject(error);
        return;
      }
      later.resolve(taken);
    };
    first.whenOver(goOn);
    return later;
  }

  #takeOver(over: Outcome | Together, by: Ask | undefined): Verdict | Wait<Ask> | undefined {
    if (over instanceof Together) return this.#takeTogether(over);
    // Whoever waits for one policy is told whose outcome it is.
    return this.#takeOutcome(by as Ask, over);
  }

  /** Asks one after the other, up to a verdict or something to wait for. */
  #advance(): Verdict | Waited {
    for (;;) {
      const entry = this.#next();
      if (entry === undefined) return this.conclude();
      const reached =
        entry.beside === undefined ? this.#ask(entry) : this.#askTogether(entry.beside);
      if (reached !== undefined) return reached;
    }
  }

  #ask(entry: HookEntry): Verdict | Wait<Ask> | undefined {
    const ask = new Ask(this.setting.run, entry, this.question(this.#rechecking));
    const asked = ask.start(this.evenIfCancelled);
    return asked instanceof Wait ? asked : this.#take(ask, asked);
  }

  /** Asks the entry in turn and those beside it. None of them rewrites, so a recheck has all of them or none. */
  #askTogether(beside: object): Verdict | Together | undefined {
    const { run, entries } = this.setting;
    const question = this.question(this.#rechecking);
    const asks: Ask[] = [];
    for (let index = this.index; entries[index]?.beside === beside; index += 1)
      asks.push(new Ask(run, entries[index] as HookEntry, question));
    const together = new Together(asks, this.evenIfCancelled);
    return together.start() ? this.#takeTogether(together) : together;
  }

  #takeTogether(together: Together): Verdict | undefined {
    const first = this.index;
    let ended: Verdict | undefined;
    for (const { ask, asked } of together.inOrder()) {
      const reached = this.#hear(ask, asked, together.gaveUp);
      ended ??= reached;
    }
    if (ended === undefined) {
      for (const { ask, decision, place } of together.bySeverity()) {
        this.index = first + place;
        ended = this.judge(decision as Plain, ask); // as in `#take`
        if (ended !== undefined) break;
      }
    }
    this.index = first + together.asks.length - 1;
    return ended;
  }

  /** Records what one of several said; only a failure or a cancel ends the chain before all are heard. */
  #hear(ask: Ask, asked: Asked, gaveUp: boolean): Verdict | undefined {
    if (asked === undefined) return undefined;
    if ('decision' in asked) {
      recordDecision(ask, asked.decision);
      return undefined;
    }
    if (asked.type === 'failed') return this.fail(ask, asked.error);
    return gaveUp && !this.setting.run.cancelled ? undefined : this.cancelled(ask);
  }

  #next(): HookEntry | undefined {
    const { entries } = this.setting;
    this.index += 1;
    if (!this.#rechecking) {
      if (this.index < entries.length) return entries[this.index];
      if (!this.rechecks || this.isSettled()) return undefined;
      this.#rechecking = true; // C1
      this.index = 0;
    }
    return this.index < this.lastModifier ? entries[this.index] : undefined;
  }

  #takeOutcome(ask: Ask, outcome: Outcome): Verdict | Wait<Ask> | undefined {
    const decision = this.#unchecked;
    if (decision === undefined) return this.#take(ask, ask.finish(outcome, this.evenIfCancelled));
    this.#unchecked = undefined;
    return this.#takeRewrite(ask, decision, outcome);
  }

  #take(ask: Ask, asked: Asked): Verdict | Wait<Ask> | undefined {
    if (asked === undefined) return undefined;
    if ('decision' in asked) {
      const { decision } = asked;
      // The codec of this point has read it: it is one of its decisions, told apart by their type.
      if (decision.type === 'modify') return this.#modify(ask, decision as Modify);
      recordDecision(ask, decision);
      return ask.entry.shadow ? undefined : this.judge(decision as Plain, ask); // C5
    }
    return asked.type === 'failed' ? this.fail(ask, asked.error) : this.cancelled(ask);
  }

  #modify(ask: Ask, decision: Modify): Verdict | Wait<Ask> | undefined {
    let rewrite: MaybePromise<Rewrite<Value>>;
    try {
      // A rewrite that is not applied must use nothing up, as on a recheck.
      rewrite = this.rewrite(decision, this.#rechecking || ask.entry.shadow);
    } catch (cause) {
      return this.fail(ask, ask.error('invalid-rewrite', { cause }));
    } finally {
      // The check of a rewrite is somebody's code, and nothing of the time of the next policy.
      this.setting.run.ports.passTime?.();
    }
    if (!isThenable(rewrite)) return this.#apply(ask, decision, rewrite);
    this.#unchecked = decision;
    return ask.wait(rewrite);
  }

  #takeRewrite(ask: Ask, decision: Modify, outcome: Outcome): Verdict | undefined {
    this.setting.run.ports.passTime?.();
    if (this.setting.run.cancelled && !this.evenIfCancelled) {
      ask.settleMemory(false);
      return this.cancelled(ask); // C4
    }
    switch (outcome.type) {
      case 'answered':
        // What a wait answers with is what the thenable it was given answers with.
        return this.#apply(ask, decision, outcome.value as Rewrite<Value>);
      case 'rejected':
        return this.fail(ask, ask.error('invalid-rewrite', { cause: outcome.cause }));
      case 'timed-out':
        return this.fail(ask, ask.error('timed-out'));
      case 'cancelled':
        return this.cancelled(ask);
    }
  }

  #apply(ask: Ask, decision: Modify, rewrite: Rewrite<Value>): Verdict | undefined {
    if ('problem' in rewrite) {
      return this.fail(
        ask,
        ask.error('invalid-rewrite', {
          detail: `the rewritten value does not fit: ${rewrite.problem}`,
        }),
      );
    }
    const changes = !ask.entry.shadow && !jsonEqual(rewrite.value, this.value); // C5
    if (changes && this.#rechecking) return this.fail(ask, ask.error('changed-on-recheck')); // C1
    ask.settleMemory(true);
    recordDecision(ask, decision);
    if (!changes) return undefined;
    this.value = rewrite.value;
    this.modified = true;
    this.lastModifier = this.index;
    return undefined;
  }

  protected fail(ask: Ask, error: HookError): Verdict | undefined {
    ask.settleMemory(false);
    const open = ask.entry.failure === 'open';
    recordFailure(ask, error, { open });
    // C2, C3, C5
    return open || ask.entry.shadow ? undefined : this.failed({ type: 'failed', error });
  }
}

function identity<Value>(value: Value): Value {
  return value;
}

type Waited = Wait<Ask> | Together;

function isWaited(reached: unknown): reached is Waited {
  return reached instanceof Wait || reached instanceof Together;
}
