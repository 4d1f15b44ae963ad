import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { memoryStore } from 'agent-hooks';
import type { Size, StorageContender } from './contender.ts';
import { sessionOn } from './ours.ts';

/** Bytes are those of the heap, seen after a collection; it is never asked for them between timed samples. */
export const memory: StorageContender = {
  name: 'memory',
  settings: async () => 'kept by this process only',
  open: async () => {
    const size = async (): Promise<Size> => ({ stored: liveHeap(), logged: undefined, rows: 0 });
    return sessionOn(memoryStore(), { before: size, after: size, close: async () => undefined });
  },
};

function liveHeap(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('the heap cannot be collected');
  collect();
  return process.memoryUsage().heapUsed;
}
