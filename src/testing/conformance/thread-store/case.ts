import assert from 'node:assert/strict';
import { AgentHooksError } from '../../../errors/base.ts';
import type { MaybePromise } from '../../../internal/maybe-promise.ts';
import type { ThreadStore } from '../../../stores/port.ts';

/** What a store under test is opened with. */
export interface StoreSetting {
  /** A clock the suite moves by hand, in milliseconds since the epoch. */
  readonly now: () => number;
}

export type OpenStore = (setting: StoreSetting) => MaybePromise<ThreadStore>;
export type ReopenStore = (store: ThreadStore, setting: StoreSetting) => MaybePromise<ThreadStore>;

/** One store, empty, and how to handle it. */
interface Bench {
  readonly store: ThreadStore;
  /** Moves the clock on. */
  readonly pass: (ms: number) => void;
  /** Another handle on the same data; closed with the rest when the case ends. */
  readonly another: () => Promise<ThreadStore>;
}

export interface StoreCase {
  readonly name: string;
  readonly check: (bench: Bench) => Promise<void>;
}

/** Runs one case on a store of its own, and closes whatever it opened. */
export async function runCase(
  test: StoreCase,
  open: OpenStore,
  reopen: ReopenStore | undefined,
): Promise<void> {
  let time = 1_700_000_000_000;
  const setting: StoreSetting = { now: () => time };
  const store = await open(setting);
  const opened = [store];
  try {
    await test.check({
      store,
      pass: (ms) => {
        time += ms;
      },
      another: async () => {
        assert.ok(reopen, 'this case needs `reopen`');
        const handle = await reopen(store, setting);
        opened.push(handle);
        return handle;
      },
    });
  } finally {
    for (const handle of opened) await handle.close?.();
  }
}

/** Fails unless the attempt throws, now or later, an error of this package with this code. `what` says which of many it is. */
export async function refused(
  code: string,
  attempt: () => unknown,
  what = '',
): Promise<AgentHooksError> {
  let thrown: unknown;
  try {
    await attempt();
  } catch (error) {
    thrown = error;
  }
  const expected = `${what}${what === '' ? '' : ': '}expected an error of agent-hooks with the code '${code}'`;
  assert.ok(thrown !== undefined, `${expected}, but nothing was thrown`);
  assert.ok(AgentHooksError.isInstance(thrown), `${expected}, got ${String(thrown)}`);
  assert.equal(thrown.code, code, `${expected}, got '${thrown.code}'`);
  return thrown;
}

/** Claims a thread for longer than any case takes. */
export async function claimed(
  store: ThreadStore,
  threadId: string,
  holder = 'holder',
): Promise<number> {
  const claim = await store.claim(threadId, { holder, ttlMs: 60_000 });
  return claim.token;
}
