import type { Ports } from '../loop/ports.ts';

/** Waits for what the tools still do for a thread, up to a limit for all of them. */
export async function drainTools(
  { tools, background }: Pick<Ports, 'tools' | 'background'>,
  threadId: string,
  timeoutMs: number,
): Promise<void> {
  const drains = tools.descriptions.flatMap(({ name }) => tools.get(name)?.drain ?? []);
  drains.push((thread) => background.drain(thread));
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, timeoutMs);
    // A tool of an app may reject; the thread has ended all the same, and what the others do is waited for.
    void Promise.allSettled(drains.map(async (drain) => drain(threadId))).then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
  background.end(threadId);
}
