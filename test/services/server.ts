import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';

/** A server that was started for tests. */
export interface Server {
  readonly url: string;
  stop(): Promise<void>;
}

export interface ServerProgram {
  readonly url: string;
  /** Asks it something that only a server which is ready answers; rejects, or hangs, until then. */
  readonly ask: (signal: AbortSignal) => Promise<unknown>;
  readonly program: string;
  readonly args: readonly string[];
  readonly options: SpawnOptions;
  /** What ends it at once. */
  readonly endSignal: NodeJS.Signals;
  /** Its own folder, removed when it has ended. */
  readonly folder: string;
}

const START_MS = 30_000;
const ASK_MS = 2_000;

/** Starts a program and waits until it answers: it listens before that. It is stopped by its process id. */
export async function startServer(about: ServerProgram): Promise<Server> {
  const child = spawn(about.program, about.args, {
    ...about.options,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-2_000);
  });
  const stop = async (): Promise<void> => {
    await end(child, about.endSignal);
    rmSync(about.folder, { recursive: true, force: true });
  };
  // Whatever ends this process ends the server too.
  const endNow = (): void => {
    child.kill(about.endSignal);
  };
  process.on('exit', endNow);
  child.on('exit', () => process.off('exit', endNow));
  try {
    await answers(about.ask, child);
  } catch (cause) {
    await stop();
    throw new Error(`${about.program} does not start: ${errors}`, { cause });
  }
  return { url: about.url, stop };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  child.kill(signal);
  await once(child, 'exit');
}

async function answers(ask: ServerProgram['ask'], child: ChildProcess): Promise<void> {
  for (const until = Date.now() + START_MS; ; ) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    try {
      await ask(AbortSignal.timeout(ASK_MS));
      return;
    } catch (error) {
      if (Date.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
