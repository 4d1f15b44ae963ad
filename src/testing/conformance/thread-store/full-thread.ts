import type { ThreadChanges, ThreadStore } from '../../../stores/port.ts';
import { claimed } from './case.ts';
import {
  approval,
  artifact,
  changes,
  event,
  HARD_VALUES,
  intent,
  outcome,
  userMessage,
} from './samples.ts';

export const THREAD = 'thread';
/** What finds the records of `FULL`. */
export const IDS: {
  readonly [kind in 'callIds' | 'approvalIds' | 'artifactIds']: readonly string[];
} = {
  callIds: ['c1', 'c2', 'c3'],
  approvalIds: ['a1', 'a2'],
  artifactIds: ['o1'],
};

/** A commit with every kind of record. */
export const FULL: ThreadChanges = changes({
  state: HARD_VALUES,
  messages: [userMessage('one'), userMessage('two')],
  events: [event(THREAD, 2), event(THREAD, 5)],
  ledger: [intent('c1'), outcome('c2', 'done'), intent('c3')],
  approvals: [approval(THREAD, 'a1'), approval(THREAD, 'a2', 'denied')],
  memory: { policy: HARD_VALUES },
  artifacts: [artifact('o1', 'one')],
});

/** Commits `FULL` as the first of the thread, and returns the token of its claim. */
export async function fullThread(store: ThreadStore): Promise<number> {
  const token = await claimed(store, THREAD);
  await store.commit(THREAD, token, 0, FULL);
  return token;
}
