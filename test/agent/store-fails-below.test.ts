import { memoryStore, StoreError, type ThreadStore } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { askFirst, team, yesTo } from './subagents/team.ts';

/** A store of which one call fails, counted from its first. */
function failingAt(store: ThreadStore, at: number): { store: ThreadStore; failed: () => boolean } {
  let calls = 0;
  const failing = new Proxy(store, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== 'function') return member;
      return async (...args: unknown[]): Promise<unknown> => {
        const isIt = calls === at;
        calls += 1;
        if (isIt) throw new Error('the disk is gone');
        return Reflect.apply(member, target, args);
      };
    },
  });
  return { store: failing, failed: () => calls > at };
}

type Desk = ReturnType<typeof team>['desk'];
type Answers = ReturnType<typeof yesTo>;

/** Does it on a thread whose subagent waits, as often as the store can fail. */
async function everyFailure(
  act: (desk: Desk, answers: Answers, store: ThreadStore) => Promise<unknown>,
): Promise<readonly unknown[]> {
  const outcomes: unknown[] = [];
  for (let at = 0; ; at += 1) {
    const store = memoryStore();
    const hooks = { clerk: { hooks: [askFirst] } };
    const asked = await team({ ...hooks, store }).desk.run({ threadId: 't', message: 'go' });
    const failing = failingAt(store, at);
    const { desk } = team({ ...hooks, store: failing.store });
    const outcome = await act(desk, yesTo(asked), store).catch((error: unknown) => ({ error }));
    if (!failing.failed()) return outcomes;
    outcomes.push(outcome);
  }
}

const unknown = [{ approvalId: 'nobody', approved: true, by: 'boss' }];

describe('a store that fails while a thread below is looked at is a failed result, and no throw', () => {
  test.each<[string, (desk: Desk, answers: Answers) => Promise<unknown>]>([
    ['run', (desk) => desk.run({ threadId: 't', message: 'more' })],
    ['run, superseding', (desk) => desk.run({ threadId: 't', message: 'more', supersede: true })],
    ['runStep', (desk) => desk.runStep({ threadId: 't' })],
    ['resume', (desk, answers) => desk.resume({ threadId: 't', answers })],
    ['resume without answers', (desk) => desk.resume({ threadId: 't' })],
    ['resume with an unknown answer', (desk) => desk.resume({ threadId: 't', answers: unknown })],
    ['cancel', (desk) => desk.cancel('t')],
  ])('%s', async (_name, act) => {
    const outcomes = await everyFailure(act);
    expect(outcomes.length).toBeGreaterThan(3);
    const raw = outcomes.filter(
      (outcome) =>
        typeof outcome === 'object' &&
        outcome !== null &&
        'error' in outcome &&
        outcome.error instanceof Error &&
        outcome.error.message === 'the disk is gone',
    );
    expect(raw).toEqual([]);
  });
});

test('the end of a thread that could not be stored is told of', async () => {
  const outcomes = await everyFailure(async (desk, _answers, store) => {
    await desk.endThread('t', 'bye');
    return (await store.readEvents('t')).at(-1)?.type;
  });
  const wrong = outcomes.filter((outcome) => outcome !== 'thread.ended' && !isStoreError(outcome));
  expect(wrong).toEqual([]);
});

/** A claim that could not be given back keeps the next run of the same thread out. */
function isStoreError(outcome: unknown): boolean {
  return (
    typeof outcome === 'object' &&
    outcome !== null &&
    'error' in outcome &&
    StoreError.isInstance(outcome.error)
  );
}
