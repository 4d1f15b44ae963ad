import { randomUUID } from 'node:crypto';
import { checkKeys } from '../../errors/check-keys.ts';
import { ConfigError } from '../../errors/config-error.ts';
import { ThreadError } from '../../errors/thread-error.ts';
import { readState } from '../../loop/read-state.ts';
import type { StoredThread, ThreadRewrite, ThreadStore } from '../../stores/port.ts';
import { checkArguments } from './check-arguments.ts';
import { type HeldThread, withClaim } from './claims.ts';
import type { ErasureOptions } from './delete-thread.ts';
import { holderBelow, loadTop, threadsBelow } from './family.ts';
import { recordsOf } from './records-of.ts';
import { checkedRedact, redaction } from './redaction.ts';

/**
 * Takes out of a thread and those of its subagents what `redact` takes out of a text. It is given every text that people,
 * models and tools wrote, wherever it is kept: messages, events, results, approvals with their answers, artifacts, what
 * policies remember, state, summary. Of JSON it is also given the keys, and each number as its text. Names of tools and
 * policies, ids and kinds are left. It may be asked twice for the same text, and has to answer the same.
 *
 * The thread goes on as before; digests of decisions made so far cannot be checked any more. A value of the thread's state
 * that no longer fits the schema is the app's to set anew. A file that is no text is given as its base64 (or its address),
 * and one that comes back changed is replaced by a note.
 *
 * Returns how many threads were rewritten. Throws, with nothing changed: `RedactionError` where `redact` throws or gives no
 * text, `ThreadError` for a turn that is not over and for the thread of a subagent, `UnknownThreadError`, `ThreadBusyError`.
 *
 * @example
 * await redactThread(store, 'customer-4711', (text) => text.replaceAll(/\d{16}/g, '[card]'));
 */
export async function redactThread(
  store: ThreadStore,
  threadId: string,
  ...[redact, options = {}]: readonly [redact: (text: string) => string, options?: ErasureOptions]
): Promise<number> {
  const where = `redactThread of '${threadId}'`;
  checkArguments(where, store, threadId);
  checkKeys(where, options, ['scrub']);
  if (typeof redact !== 'function') {
    throw new ConfigError('invalid-input', {
      where,
      what: '`redact` is no function',
      fix: 'Give a function from a text to a text',
    });
  }
  await loadTop(store, threadId);
  const to = redaction(checkedRedact(threadId, redact), randomUUID());
  const count = await withClaim(store, { threadId, holder: randomUUID() }, async (held) => {
    const top = await loadTop(store, threadId);
    requireOver(top, threadId);
    await rehearse(store, top, to);
    return (
      (await redactBelow(store, { top, held, to })) + (await redactOne(store, top, { held, to }))
    );
  });
  if (options.scrub !== false) await store.scrub?.();
  return count;
}

/** One thread is changed as a whole or not at all. So that this holds for several, all are tried before the first is changed. */
async function rehearse(store: ThreadStore, top: StoredThread, to: ThreadRewrite): Promise<void> {
  let isFirst = true;
  for await (const child of threadsBelow(store, top.threadId)) {
    requireOver(child, top.threadId);
    await tryOut(store, child, to);
    if (isFirst) await tryOut(store, top, to);
    isFirst = false;
  }
}

async function tryOut(store: ThreadStore, stored: StoredThread, to: ThreadRewrite): Promise<void> {
  for await (const record of recordsOf(store, stored)) {
    if ('message' in record) to.message(record.message);
    else if ('event' in record) to.event(record.event);
    else if ('ledger' in record) record.ledger.result && to.result(record.ledger.result);
    else if ('approval' in record) to.approval(record.approval);
    else if ('artifact' in record) to.artifact(record.artifact);
    else if ('memory' in record) to.memory(record.memory.value, record.memory.policy);
    else to.state(record.state);
  }
}

async function redactBelow(
  store: ThreadStore,
  {
    top,
    held,
    to,
  }: { readonly top: StoredThread; readonly held: HeldThread; readonly to: ThreadRewrite },
): Promise<number> {
  let count = 0;
  for await (const child of threadsBelow(store, top.threadId)) {
    await held.renew();
    const { threadId } = child;
    await withClaim(store, { threadId, holder: holderBelow(child) }, (below) =>
      redactOne(store, child, { held: below, to }),
    );
    count += 1;
  }
  return count;
}

async function redactOne(
  store: ThreadStore,
  { threadId, version }: StoredThread,
  { held, to }: { readonly held: HeldThread; readonly to: ThreadRewrite },
): Promise<number> {
  await store.rewriteThread(threadId, held.token, version, to);
  return 1;
}

/** In a turn that goes on, a text is more than what it says: what was judged and approved has to stay what it was. */
function requireOver(stored: StoredThread, topId: string): void {
  const { name } = readState(stored.threadId, stored).phase;
  if (name === 'finished' || name === 'idle') return;
  throw new ThreadError('open-turn', {
    where: `thread '${stored.threadId}'`,
    what: 'its turn is not over',
    fix: `Let it end, or end it with \`cancel\` of thread '${topId}'; nothing was changed`,
  });
}
