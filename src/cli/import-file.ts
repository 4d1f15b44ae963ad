import { pathToFileURL } from 'node:url';

/** What a module exports, or why it could not be loaded. */
export type Imported =
  | { readonly exports: Readonly<Record<string, unknown>> }
  | { readonly thrown: unknown };

/** Loads one module, for at most so long: one that waits for ever must not take the check along. */
export async function importFile(path: string, timeoutMs: number): Promise<Imported> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Imported>((resolve) => {
    const thrown = new Error(`it did not finish within ${timeoutMs} ms`);
    thrown.stack = '';
    timer = setTimeout(resolve, timeoutMs, { thrown });
  });
  try {
    return await Promise.race([load(path), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function load(path: string): Promise<Imported> {
  try {
    const exports: Readonly<Record<string, unknown>> = await import(pathToFileURL(path).href);
    return { exports };
  } catch (thrown) {
    return { thrown };
  }
}
