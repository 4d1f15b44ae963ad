import { ConfigError } from '../../errors/config-error.ts';
import { isKey } from '../../stores/key.ts';
import type { ThreadStore } from '../../stores/port.ts';

/** Throws for what the caller got wrong, before the store is asked for anything. */
export function checkArguments(where: string, store: ThreadStore, threadId: string): void {
  requireStore(where, store);
  if (typeof threadId === 'string' && threadId !== '' && isKey(threadId)) return;
  throw new ConfigError('invalid-input', {
    where,
    what: 'the id of the thread is no text that a store can keep',
    fix: 'Give the `threadId` of the run',
  });
}

export function requireStore(where: string, store: ThreadStore): void {
  const isStore =
    typeof store === 'object' &&
    store !== null &&
    ['claim', 'load', 'commit', 'deleteThread', 'rewriteThread'].every(
      (name) => typeof Reflect.get(store, name) === 'function',
    );
  if (isStore) return;
  throw new ConfigError('invalid-input', {
    where,
    what: 'its first argument is no store that can delete and rewrite threads',
    fix: 'Give the store that the agent was created with',
  });
}
