/** The thread in which a policy is asked that may never come back. */
import { parentPort, workerData } from 'node:worker_threads';
import { callDirectly } from './call-directly.ts';
import { explore } from './explore.ts';
import type { FuzzInput } from './fault.ts';
import { loadFastCheck } from './load-fast-check.ts';
import { loadPolicy } from './policy-module.ts';
import { askedWith, type Subject, subjectOf } from './subject.ts';
import type { ThreadMessage, ThreadTask } from './thread-messages.ts';
import { wordsOf } from './words.ts';

const ALIVE_MS = 50;

function tell(message: ThreadMessage): void {
  parentPort?.postMessage(message);
}

async function work(task: ThreadTask): Promise<void> {
  const policy = await loadPolicy(task.href, task.exportName, task.args);
  const subject = subjectOf(policy, task.point, task.setting);
  tell({ type: 'ready', policy: subject.policy });
  if (task.mode === 'probe') {
    parentPort?.on('message', (input: FuzzInput) => void probe(subject, input));
    return;
  }
  const alive = setInterval(() => tell({ type: 'alive' }), ALIVE_MS);
  const fc = await loadFastCheck();
  const report = await explore(
    { fc, subject, words: wordsOf(policy, task.point) },
    {
      asking: (input) => tell({ type: 'asking', input }),
      found: (fault) => tell({ type: 'found', fault }),
    },
  );
  clearInterval(alive);
  tell({ type: 'done', report });
}

async function probe(subject: Subject, input: FuzzInput): Promise<void> {
  const asked = askedWith(subject, input);
  if (asked !== undefined) await callDirectly(subject, asked, 0);
  tell({ type: 'answered' });
}

work(workerData as ThreadTask).catch((error: unknown) => {
  // Only a text can be trusted to cross: an error of a module may hold anything.
  tell({ type: 'refused', message: error instanceof Error ? error.message : String(error) });
});
