import { median } from '../measure.ts';
import { round } from '../rows.ts';
import type { Session, StorageContender, StorageName } from './contender.ts';
import type { StorageRow } from './rows.ts';
import { ANSWER, counts, STEPS, TOOL_STEPS } from './work.ts';

export interface Plan {
  readonly histories: readonly number[];
  readonly warmUp: number;
  readonly rounds: number;
  /** Turns timed in one sample, each on a thread of its own. */
  readonly turns: number;
  /** Threads that the bytes are seen on. One of LangGraph with a long history writes more than all of ours. */
  readonly threads: number;
}

export async function measureStorage(
  contenders: readonly StorageContender[],
  plan: Plan,
): Promise<StorageRow[]> {
  const rows: StorageRow[] = [];
  for (const history of plan.histories) {
    const times = await timeAll(contenders, history, plan);
    for (const contender of contenders) {
      const sizes = await weigh(contender, history, plan);
      const samples = times.get(contender.name) ?? [];
      rows.push({ name: contender.name, history, ...figures(samples), ...sizes });
    }
    console.log(`measured threads of ${history} messages`);
  }
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

/** In turn, again and again, so that a slow moment of the machine hits all of them. */
async function timeAll(
  contenders: readonly StorageContender[],
  history: number,
  plan: Plan,
): Promise<ReadonlyMap<StorageName, Sample[]>> {
  const samples = new Map(contenders.map(({ name }): [StorageName, Sample[]] => [name, []]));
  for (let round = -plan.warmUp; round < plan.rounds; round += 1) {
    for (const contender of contenders) {
      const sample = await timeOne(contender, history, plan.turns);
      if (round >= 0) samples.get(contender.name)?.push(sample);
    }
  }
  return samples;
}

/** The first turn is not timed: it opens files and connections, and warms what the contender before left cold. */
async function timeOne(
  contender: StorageContender,
  history: number,
  turns: number,
): Promise<Sample> {
  const session = await contender.open();
  try {
    for (let turn = 0; turn <= turns; turn += 1) await session.seed(`t${turn}`, history);
    await runTurn(contender.name, session, { threadId: 't0', history });
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

async function weigh(
  contender: StorageContender,
  history: number,
  { threads }: Plan,
): Promise<Pick<StorageRow, 'storedPerStep' | 'loggedPerStep' | 'rowsPerStep'>> {
  const session = await contender.open();
  try {
    for (let thread = 0; thread < threads; thread += 1) await session.seed(`t${thread}`, history);
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
