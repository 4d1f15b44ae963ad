import { hasPeers, loadContender } from './contenders.ts';
import { measureCreateAgent } from './create-agent.ts';
import { judge } from './formulas.ts';
import { measureHistory } from './history.ts';
import { measureImports, measureSizes } from './package.ts';
import { tables, writeResults } from './report.ts';
import type { Results } from './rows.ts';
import { measureSplit } from './split.ts';
import { addOnDisk, measureSteps, type StepsPlan } from './steps.ts';
import { type Crowd, measureThreads } from './threads.ts';
import type { Contender, ContenderName } from './work.ts';

interface Plan extends StepsPlan {
  readonly histories: readonly number[];
  readonly crowd: Crowd;
  readonly imports: number;
}

const FULL: Plan = {
  steps: [1, 10, 50, 100, 200],
  sample: 200,
  heat: 60,
  histories: [0, 1_000, 5_000],
  warmUp: 12,
  rounds: 30,
  crowd: {
    threads: 1_000,
    steps: 10,
    guards: ['same-tick', 'event-loop'],
    rounds: { warmUp: 1, rounds: 5 },
    processes: 5,
  },
  imports: 11,
};

const SHORT: Plan = {
  steps: [1, 10],
  sample: 20,
  heat: 0,
  histories: [0, 100],
  warmUp: 1,
  rounds: 2,
  crowd: {
    threads: 50,
    steps: 10,
    guards: ['event-loop'],
    rounds: { warmUp: 0, rounds: 1 },
    processes: 1,
  },
  imports: 1,
};

const OURS: readonly ContenderName[] = ['bare', 'memory'];
const PEERS: readonly ContenderName[] = ['ai', 'pi', 'pi-loop'];

export async function runBench(isShort: boolean): Promise<void> {
  const names = hasPeers() ? [...OURS, ...PEERS] : OURS;
  const contenders = await Promise.all(names.map(loadContender));
  const sqlite = await loadContender('sqlite');
  const plan = isShort ? SHORT : FULL;
  try {
    const results = await measureAll(contenders, sqlite, plan);
    if (isShort) reportShort(results, contenders);
    else report(results, plan.rounds);
  } finally {
    await sqlite.close?.();
  }
}

async function measureAll(
  contenders: readonly Contender[],
  sqlite: Contender,
  plan: Plan,
): Promise<Results> {
  const steps = await measureSteps(contenders, plan);
  const threads = await measureThreads(contenders, plan.crowd);
  const history = await measureHistory(plan.histories, plan);
  const split = await measureSplit(Math.min(50, plan.sample), plan);
  const createAgentUs = measureCreateAgent(plan.rounds);
  const imports = await measureImports(plan.imports);
  const sizes = await measureSizes();
  const onDisk = await addOnDisk(steps, sqlite, plan);
  return { steps: onDisk, history, split, threads, imports, sizes, createAgentUs };
}

function report(results: Results, rounds: number): void {
  const formulas = judge(results);
  writeResults(results, formulas, rounds);
  console.log(tables(results));
  for (const { name, value, limit, passed } of formulas) {
    console.log(`${passed ? 'pass' : 'FAIL'} ${name}: ${value} (limit ${limit})`);
  }
}

/** Times of so short a run say nothing, so the one thing that is counted is all that is judged. */
function reportShort({ steps }: Results, contenders: readonly Contender[]): void {
  const names = contenders.map(({ name }) => name).join(', ');
  console.log(
    `${steps.length} kinds of work, a history and a crowd: all done as asked by ${names}.`,
  );
  const most = Math.max(...steps.map((row) => row.sqliteCommitsPerStep));
  if (most > 2) throw new Error(`SQLite commits ${most} times a step, and not at most twice`);
  console.log(`SQLite commits ${most} times a step. No time is judged in a short run.`);
}
