import type { ToolRegistry } from '../tools/port.ts';

/** Waits for what the tools still do for a thread, up to a limit for all of them. */
export async function drainTools(
  tools: Pick<ToolRegistry, 'descriptions' | 'get'>,
  threadId: string,
  timeoutMs: number,
): Promise<void> {
  const drains = tools.descriptions.flatMap(({ name }) => tools.get(name)?.drain ?? []);
  if (drains.length === 0) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, timeoutMs);
    // A tool of an app may reject; the thread has ended all the same, and what the others do is waited for.
    void Promise.allSettled(drains.map(async (drain) => drain(threadId))).then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
