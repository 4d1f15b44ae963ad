import { median } from '../measure.ts';
import { round } from '../rows.ts';
import { PEERS, type Session, type StorageContender, type StorageName } from './contender.ts';
import type { StorageRow } from './rows.ts';
import { ANSWER, counts, STEPS, TOOL_STEPS } from './work.ts';

export interface Plan {
  readonly histories: readonly number[];
  readonly warmUp: number;
  readonly rounds: number;
  /** Turns timed in one sample, each on a thread of its own. */
  readonly turns: number;
  /** Threads that the bytes are seen on; of memory more, as a heap is seen less exactly. */
  readonly threads: number;
}

/** A peer that writes all of its history at every step is given fewer turns where that history is long. */
const LONG = 5_000;

/** One contender on threads of one length. */
interface Entry {
  readonly contender: StorageContender;
  readonly history: number;
  readonly turns: number;
  readonly threads: number;
}

export async function measureStorage(
  contenders: readonly StorageContender[],
  plan: Plan,
): Promise<StorageRow[]> {
  const entries = plan.histories.flatMap((history) =>
    contenders.map((contender): Entry => {
      const isSlow = history > LONG && PEERS.some((name) => name === contender.name);
      if (isSlow) return { contender, history, turns: 1, threads: 2 };
      const threads = contender.name === 'memory' ? 20 * plan.threads : plan.threads;
      return { contender, history, turns: plan.turns, threads };
    }),
  );
  const samples = await timeAll(entries, plan);
  const rows: StorageRow[] = [];
  for (const entry of entries) {
    const { contender, history } = entry;
    const sizes = await weigh(entry);
    rows.push({ name: contender.name, history, ...figures(samples.get(entry) ?? []), ...sizes });
  }
  console.log('measured the bytes');
  return rows;
}

interface Sample {
  readonly ms: number;
  readonly cpuMs: number;
  readonly writes: number;
  readonly writeMs: number;
  readonly readMs: number;
  readonly turns: number;
}

/** In turn, again and again, so that a slow moment of the machine hits all contenders and all lengths. */
async function timeAll(
  entries: readonly Entry[],
  { warmUp, rounds }: Plan,
): Promise<ReadonlyMap<Entry, Sample[]>> {
  const samples = new Map(entries.map((entry): [Entry, Sample[]] => [entry, []]));
  for (let round = -warmUp; round < rounds; round += 1) {
    for (const entry of entries) {
      const sample = await timeOne(entry);
      if (round >= 0) samples.get(entry)?.push(sample);
    }
    console.log(round < 0 ? 'warmed up' : `measured round ${round + 1} of ${rounds}`);
  }
  return samples;
}

/** The first turn is not timed: it opens files and connections, and warms what the contender before left cold. */
async function timeOne({ contender, history, turns }: Entry): Promise<Sample> {
  const session = await contender.open();
  try {
    for (let turn = 0; turn <= turns; turn += 1) await session.seed(`t${turn}`, history);
    await runTurn(contender.name, session, { threadId: 't0', history });
    await session.settle();
    session.meter.take();
    const cpu = process.cpuUsage();
    const started = performance.now();
    for (let turn = 1; turn <= turns; turn += 1) {
      await runTurn(contender.name, session, { threadId: `t${turn}`, history });
    }
    const ms = performance.now() - started;
    const { user, system } = process.cpuUsage(cpu);
    return { ms, cpuMs: (user + system) / 1000, turns, ...session.meter.take() };
  } finally {
    await session.close();
  }
}

async function weigh({
  contender,
  history,
  threads,
}: Entry): Promise<Pick<StorageRow, 'storedPerStep' | 'loggedPerStep' | 'rowsPerStep'>> {
  const session = await contender.open();
  try {
    for (let thread = 0; thread <= threads; thread += 1) await session.seed(`t${thread}`, history);
    await runTurn(contender.name, session, { threadId: `t${threads}`, history });
    const before = await session.before();
    for (let thread = 0; thread < threads; thread += 1) {
      await runTurn(contender.name, session, { threadId: `t${thread}`, history });
    }
    const after = await session.after();
    const steps = threads * STEPS;
    const logged =
      after.logged === undefined || before.logged === undefined
        ? {}
        : { loggedPerStep: Math.round((after.logged - before.logged) / steps) };
    return {
      storedPerStep: Math.round((after.stored - before.stored) / steps),
      rowsPerStep: round((after.rows - before.rows) / steps),
      ...logged,
    };
  } finally {
    await session.close();
  }
}

/** Throws when a contender did not do the work. */
async function runTurn(
  name: StorageName,
  session: Session,
  thread: { readonly threadId: string; readonly history: number },
): Promise<void> {
  counts.tools = 0;
  const text = await session.turn(thread.threadId, thread.history);
  if (text === ANSWER && counts.tools === TOOL_STEPS) return;
  throw new Error(`${name} ran ${counts.tools} tools, not ${TOOL_STEPS}, and said "${text}"`);
}

function figures(
  samples: readonly Sample[],
): Omit<StorageRow, 'name' | 'history' | 'storedPerStep' | 'loggedPerStep' | 'rowsPerStep'> {
  const of = (value: (sample: Sample) => number): number => round(median(samples.map(value)));
  return {
    stepsPerSecond: of(({ ms, turns }) => (turns * STEPS * 1000) / ms),
    cpuMsPerStep: of(({ cpuMs, turns }) => cpuMs / (turns * STEPS)),
    commitsPerSecond: of(({ writes, writeMs }) => (writes * 1000) / writeMs),
    commitsPerStep: of(({ writes, turns }) => writes / (turns * STEPS)),
    readMsPerTurn: of(({ readMs, turns }) => readMs / turns),
  };
}
