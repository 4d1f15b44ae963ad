import type { ThreadStore } from '../../stores/port.ts';

/** How long a claim holds without being renewed, in milliseconds. */
const TTL_MS = 30_000;

/** A claim while something is done under it. */
export interface HeldThread {
  readonly token: number;
  /** Throws when somebody else has it. */
  readonly renew: () => Promise<void>;
}

/** Takes the thread, does the work and gives it back. Throws `ThreadBusyError` while a run holds it. */
export async function withClaim<Result>(
  store: ThreadStore,
  { threadId, holder }: { readonly threadId: string; readonly holder: string },
  work: (held: HeldThread) => Promise<Result>,
): Promise<Result> {
  const { token } = await store.claim(threadId, { holder, ttlMs: TTL_MS });
  try {
    return await work({ token, renew: async () => store.renew(threadId, token, TTL_MS) });
  } finally {
    await giveBack(store, threadId, token);
  }
}

/** A claim that cannot be given back runs out by itself. */
async function giveBack(store: ThreadStore, threadId: string, token: number): Promise<void> {
  try {
    await store.release(threadId, token);
  } catch {
    // What was done is done, and what failed before is what the caller has to hear.
  }
}
