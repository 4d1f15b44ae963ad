import { examine, type Patience, type Seen } from './examine.ts';
import type { Fault, FaultKind, Finding, FuzzInput, FuzzReport } from './fault.ts';
import { canBlock } from './fuzz-point.ts';
import { findSlowGrowth } from './growth.ts';
import { inputsOf } from './inputs.ts';
import { reportOf } from './report.ts';
import type { Subject } from './subject.ts';
import type { Arbitrary, Fc } from './texts.ts';
import type { Words } from './words.ts';

/** Who is told what happens, for whoever watches from another thread. */
export interface Told {
  /** Before every call, as one may never come back. */
  readonly asking?: (input: FuzzInput) => void;
  readonly found?: (fault: Fault) => void;
}

/** Shares of the time: for slow growth, and for that and everything else but smaller inputs. */
const GROWTH = 0.3;
const SEARCH = 0.7;
const MAX_LENGTH = 5_000;
/** After slow growth was found, a longer text may never end. */
const SAFE_LENGTH = 12;
/** So few inputs say nothing about a policy that blocks all of them. */
const MIN_RUNS = 20;
const PATIENT: Patience = { waitMs: 300, confirmMs: 2_000 };
const HASTY: Patience = { waitMs: 100, confirmMs: 200 };

/** Looks for every kind of fault within the time, and then for a smaller input for each it has found. */
export async function explore(
  { fc, subject, words }: { readonly fc: Fc; readonly subject: Subject; readonly words: Words },
  told: Told = {},
): Promise<FuzzReport> {
  const started = performance.now();
  const { setting } = subject;
  const until = (share: number): number => started + setting.timeMs * share;
  const slow = await findSlowGrowth({ fc, subject, words, until: until(GROWTH), ...told });
  if (slow !== undefined) told.found?.(slow);
  const maxLength = slow === undefined ? MAX_LENGTH : SAFE_LENGTH;
  const inputs = inputsOf(subject.point, { fc, words, setting, maxLength });
  const search = new Search(fc, subject, inputs, told);
  await search.run(until(SEARCH));
  const faults = slow === undefined ? [] : [slow];
  for (const [index, first] of search.firsts.entries()) {
    const left = until(1) - performance.now();
    faults.push(await search.shrink(first, left / (search.firsts.length - index)));
  }
  return reportOf(subject, {
    faults: faults.filter(({ kind }) => !setting.allow.includes(kind)),
    runs: search.runs,
    decisions: search.decisions,
    elapsedMs: Math.round(performance.now() - started),
  });
}

interface First {
  readonly fault: Fault;
  /** Which run it was. */
  readonly run: number;
}

class Search {
  runs = 0;
  readonly firsts: First[] = [];
  readonly decisions: { [kind: string]: number } = {};
  readonly #fc: Fc;
  readonly #subject: Subject;
  readonly #inputs: Arbitrary<FuzzInput>;
  readonly #told: Told;
  #blocked = 0;
  #smallest: FuzzInput | undefined;

  // biome-ignore lint/complexity/useMaxParams: one each of what a search is made of, and only made above
  constructor(fc: Fc, subject: Subject, inputs: Arbitrary<FuzzInput>, told: Told) {
    this.#fc = fc;
    this.#subject = subject;
    this.#inputs = inputs;
    this.#told = told;
  }

  async run(until: number): Promise<void> {
    const fc = this.#fc;
    const { seed, runs: numRuns } = this.#subject.setting;
    let index = -1;
    let patience = PATIENT;
    const property = fc.asyncProperty(this.#inputs, async (input) => {
      index += 1;
      if (performance.now() > until) return;
      const left = Math.max(10, (until - performance.now()) / 2);
      const { waitMs, confirmMs } = patience;
      const seen = await this.#examine(input, {
        waitMs: Math.min(waitMs, left / 2),
        confirmMs: Math.min(confirmMs, left),
      });
      // To wait once for an answer that never comes is enough.
      if (seen?.findings.some(({ kind }) => isWaiting(kind))) patience = HASTY;
      if (seen !== undefined) this.#note(seen, input, index);
    });
    const interruptAfterTimeLimit = Math.max(1, until - performance.now());
    await fc.check(property, { seed, numRuns, interruptAfterTimeLimit });
    this.#judgeAll();
  }

  /** The smallest input that still shows the fault, as far as the time goes. */
  async shrink({ fault, run }: First, timeMs: number): Promise<Fault> {
    if (timeMs < 20 || fault.kind === 'blocks-everything') return fault;
    const fc = this.#fc;
    let smallest = fault;
    const property = fc.asyncProperty(this.#inputs, async (input) => {
      const seen = await this.#examine(input, HASTY);
      const finding = seen?.findings.find(({ kind }) => isSame(kind, fault.kind));
      if (finding === undefined) return;
      smallest = { ...fault, says: isWaiting(fault.kind) ? fault.says : finding.says, input };
      throw new Error(fault.kind);
    });
    const { seed } = this.#subject.setting;
    const limits = { interruptAfterTimeLimit: timeMs, numRuns: run + 1 };
    await fc.check(property, { seed, path: String(run), ...limits });
    return smallest;
  }

  async #examine(input: FuzzInput, patience: Patience): Promise<Seen | undefined> {
    this.#told.asking?.(input);
    return examine(this.#subject, input, patience);
  }

  #note(seen: Seen, input: FuzzInput, run: number): void {
    this.runs += 1;
    this.decisions[seen.decision] = (this.decisions[seen.decision] ?? 0) + 1;
    if (seen.isBlocked) this.#blocked += 1;
    if (seen.isBlocked && sizeOf(input) < sizeOf(this.#smallest)) this.#smallest = input;
    for (const finding of seen.findings) this.#found(finding, input, run);
  }

  #found({ kind, says }: Finding, input: FuzzInput, run: number): void {
    if (this.firsts.some(({ fault }) => isSame(fault.kind, kind))) return;
    const fault = { kind, says, input };
    this.firsts.push({ fault, run });
    this.#told.found?.(fault);
  }

  #judgeAll(): void {
    const { point } = this.#subject;
    if (!canBlock(point) || this.runs < MIN_RUNS || this.#blocked < this.runs) return;
    // What it would have said the next time, nobody knows.
    if (this.firsts.some(({ fault }) => fault.kind === 'unstable')) return;
    const says = `it let none of ${this.runs} inputs through`;
    if (this.#smallest !== undefined)
      this.#found({ kind: 'blocks-everything', says }, this.#smallest, 0);
  }
}

function sizeOf(input: FuzzInput | undefined): number {
  return input === undefined ? Number.POSITIVE_INFINITY : JSON.stringify(input).length;
}

function isWaiting(kind: FaultKind): boolean {
  return kind === 'hangs' || kind === 'late';
}

/** Whoever does not wait cannot tell a late answer from none. */
function isSame(one: FaultKind, other: FaultKind): boolean {
  return one === other || (isWaiting(one) && isWaiting(other));
}
