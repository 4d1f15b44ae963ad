import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chance } from './chance.ts';
import { problemsOf, type Witness } from './check-threads.ts';
import { openPlace } from './open-place.ts';
import { type ChildPlan, FILES, type StorePlace } from './plan.ts';

export interface CrashOptions {
  /** The built child. */
  readonly script: string;
  readonly place: StorePlace;
  readonly kills: number;
  readonly seed: number;
  /** Told of each kill. */
  readonly log?: (line: string) => void;
}

export interface CrashReport {
  readonly kills: number;
  readonly threads: number;
  readonly effects: number;
  readonly storedResults: number;
  readonly wallMs: number;
  readonly problems: readonly string[];
}

/** Threads a process works on at once. */
const SIDE_BY_SIDE = 4;
/** Later commits are rarely reached: the process is done before. */
const LAST_COMMIT = 16;
const LONGEST_MS = 120;
const MOMENTS = ['before', 'sent', 'after'] as const;

/** Kills one process after the other, each going on where the one before was killed, then checks what is left. */
export async function runCrashes(options: CrashOptions): Promise<CrashReport> {
  const started = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'agent-hooks-crash-'));
  try {
    const series = new Series(options, folder);
    await series.warmUp();
    while (series.kills < options.kills) await series.killOne();
    await series.finish();
    return { ...(await series.report()), wallMs: Math.round(performance.now() - started) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

class Series {
  kills = 0;
  readonly #options: CrashOptions;
  readonly #folder: string;
  readonly #random: () => number;
  readonly #begun = new Map<string, number>();

  constructor(options: CrashOptions, folder: string) {
    this.#options = options;
    this.#folder = folder;
    this.#random = chance(options.seed);
  }

  /** Lets one process end by itself, which leaves its compiled code to all that follow. */
  async warmUp(): Promise<void> {
    await ended(this.#start({ threads: [] }));
  }

  async killOne(): Promise<void> {
    const threads = this.#unfinished();
    const isRandom = this.#random() < 0.5;
    const commit = 1 + Math.floor(this.#random() * LAST_COMMIT);
    const moment = MOMENTS[Math.floor(this.#random() * MOMENTS.length)] ?? 'sent';
    const delayMs = this.#random() * LONGEST_MS;
    const child = this.#start({ threads, ...(!isRandom && { kill: { commit, moment } }) });
    const killed = isRandom ? await killedAfter(child, delayMs) : await ended(child);
    if (!killed) return;
    this.kills += 1;
    for (const thread of threads) this.#begun.set(thread, (this.#begun.get(thread) ?? 0) + 1);
    const where = isRandom ? `${Math.round(delayMs)} ms in` : `${moment} commit ${commit}`;
    this.#options.log?.(`${this.kills} killed ${where}: ${threads.join(' ')}`);
  }

  /** Lets a process do what is left. */
  async finish(): Promise<void> {
    const left = [...this.#begun.keys()].filter((thread) => !this.#endedThreads().has(thread));
    if (left.length > 0 && (await ended(this.#start({ threads: left })))) {
      throw new Error('the last process was killed by somebody else');
    }
  }

  async report(): Promise<Omit<CrashReport, 'wallMs'>> {
    const witness = this.#witness();
    const store = openPlace(this.#options.place);
    try {
      const problems = await problemsOf(store, witness, this.#begun);
      const missing = [...this.#begun.keys()].filter((id) => !this.#endedThreads().has(id));
      return {
        kills: this.kills,
        threads: this.#begun.size,
        effects: witness.effects.length,
        storedResults: witness.stored.length,
        problems: [...problems, ...missing.map((id) => `${id} never ended`)],
      };
    } finally {
      await store.close?.();
    }
  }

  #unfinished(): readonly string[] {
    const done = this.#endedThreads();
    const threads: string[] = [];
    for (let index = 0; threads.length < SIDE_BY_SIDE; index += 1) {
      if (!done.has(`thread-${index}`)) threads.push(`thread-${index}`);
    }
    return threads;
  }

  #start(plan: Omit<ChildPlan, 'place' | 'folder'>): ChildProcess {
    const { script, place } = this.#options;
    const whole: ChildPlan = { place, folder: this.#folder, ...plan };
    return spawn(process.execPath, [script, JSON.stringify(whole)], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, NODE_COMPILE_CACHE: join(this.#folder, 'compiled') },
    });
  }

  #endedThreads(): ReadonlySet<string> {
    return new Set(this.#witness().ended.map(({ threadId }) => threadId));
  }

  #witness(): Witness {
    const lines = (file: string): readonly string[] => {
      const path = join(this.#folder, file);
      return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
    };
    return {
      effects: lines(FILES.effects),
      stored: lines(FILES.stored),
      rejected: lines(FILES.rejected),
      ended: lines(FILES.ended).map((line) => JSON.parse(line)),
    };
  }
}

/** Counts from when it has begun its work, so that it is not always killed in its start. */
async function killedAfter(child: ChildProcess, ms: number): Promise<boolean> {
  const end = ended(child);
  if (child.stdout !== null) await Promise.race([once(child.stdout, 'data'), end]);
  const timer = setTimeout(() => child.kill('SIGKILL'), ms);
  const killed = await end;
  clearTimeout(timer);
  return killed;
}

/** True when it was killed. A child that fails by itself fails the whole. */
async function ended(child: ChildProcess): Promise<boolean> {
  const [code, signal] = await once(child, 'exit');
  if (signal === 'SIGKILL') return true;
  if (code !== 0) throw new Error(`a process ended with ${code ?? signal}`);
  return false;
}
