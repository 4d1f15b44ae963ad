import { Worker } from 'node:worker_threads';
import { ConfigError } from '../../errors/config-error.ts';
import type { Fault, FuzzInput, FuzzReport } from './fault.ts';
import { reportOf } from './report.ts';
import { Prober, smallestHang } from './smallest-hang.ts';
import type { ThreadMessage, ThreadTask } from './thread-messages.ts';

/** A thread that tells nothing for so long is stuck. */
const STUCK_MS = 1_000;
const LOOK_MS = 25;
/** The share of the time that the thread has, so that some is left to make what it got stuck in smaller. */
const SHARE = 0.65;

export interface Watched {
  readonly task: Omit<ThreadTask, 'mode'>;
  readonly worker: URL;
}

/** How a thread ended. */
type Ending =
  | { readonly type: 'done'; readonly report: FuzzReport }
  | { readonly type: 'refused'; readonly message: string }
  | { readonly type: 'stuck' }
  | { readonly type: 'crashed'; readonly why: string };

/** Explores in a thread of its own, and ends it when a call does not come back: this process goes on. */
export async function exploreWatched({ task, worker }: Watched): Promise<FuzzReport> {
  const started = performance.now();
  const { setting, point } = task;
  const inner = { ...setting, timeMs: Math.max(100, setting.timeMs * SHARE) };
  const seen = await watch(startThread(worker, { ...task, mode: 'explore', setting: inner }));
  const { ending, policy, asked, found, last } = seen;
  if (ending.type === 'done') return ending.report;
  if (ending.type === 'refused' || last === undefined) throw refusal(task.href, ending);
  const faults: Fault[] = [...found];
  if (ending.type === 'crashed') faults.push({ kind: 'crashes', says: ending.why, input: last });
  else {
    const left = setting.timeMs - (performance.now() - started);
    const says = `it kept its thread to itself for more than ${STUCK_MS} ms, and had to be ended`;
    const start = (): Worker => startThread(worker, { ...task, mode: 'probe', setting: inner });
    const input = await smallestHang(new Prober(start), last, left);
    faults.push({ kind: 'hangs', says, input });
  }
  return reportOf(
    { policy, point, setting },
    {
      faults: faults.filter(({ kind }) => !setting.allow.includes(kind)),
      runs: asked,
      decisions: {},
      elapsedMs: Math.round(performance.now() - started),
    },
  );
}

/** Sources are run as they are, and find the package as its own tests do. */
function startThread(worker: URL, workerData: ThreadTask): Worker {
  const isSource = worker.pathname.endsWith('.ts');
  const conditions = isSource ? { execArgv: ['--conditions=agent-hooks-source'] } : {};
  const resourceLimits = { maxOldGenerationSizeMb: 512 };
  try {
    return new Worker(worker, { workerData, resourceLimits, ...conditions });
  } catch (cause) {
    throw new ConfigError(
      'invalid-input',
      {
        where: 'fuzzPolicy',
        what: 'an option or an argument of the policy cannot be passed to a thread',
        fix: 'Pass values without functions, or make them in the module of the policy',
      },
      { cause },
    );
  }
}

interface Seen {
  readonly ending: Ending;
  readonly policy: string;
  readonly asked: number;
  readonly found: readonly Fault[];
  /** What it was asked last. */
  readonly last: FuzzInput | undefined;
}

async function watch(thread: Worker): Promise<Seen> {
  let [policy, asked, heardAt] = ['', 0, Number.POSITIVE_INFINITY];
  let last: FuzzInput | undefined;
  const found: Fault[] = [];
  let timer: ReturnType<typeof setInterval> | undefined;
  const ending = await new Promise<Ending>((resolve) => {
    thread.on('message', (message: ThreadMessage) => {
      heardAt = performance.now();
      if (message.type === 'ready') policy = message.policy;
      if (message.type === 'found') found.push(message.fault);
      if (message.type === 'done' || message.type === 'refused') resolve(message);
      if (message.type !== 'asking') return;
      asked += 1;
      last = message.input;
    });
    thread.on('error', (error) =>
      resolve({ type: 'crashed', why: `it ended its thread: ${error.message}` }),
    );
    thread.on('exit', (code) =>
      resolve({ type: 'crashed', why: `it ended its thread with code ${code}` }),
    );
    timer = setInterval(() => {
      if (performance.now() - heardAt > STUCK_MS) resolve({ type: 'stuck' });
    }, LOOK_MS);
  });
  clearInterval(timer);
  await thread.terminate();
  return { ending, policy, asked, found, last };
}

function refusal(href: string, ending: Ending): ConfigError {
  const said =
    ending.type === 'refused' ? ending.message : 'the thread ended before the policy was asked';
  return new ConfigError('invalid-input', {
    where: `fuzzPolicy: ${href}`,
    what: `the policy could not be asked: ${said}`,
    fix: 'Name a module, and what it exports, that gives a policy with this point',
  });
}
