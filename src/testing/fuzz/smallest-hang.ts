import type { Worker } from 'node:worker_threads';
import type { JsonValue } from '../../protocol/json.ts';
import type { FuzzInput } from './fault.ts';
import type { ThreadMessage } from './thread-messages.ts';
import { mapTexts } from './varied.ts';

/** A call that takes so long is taken for one that hangs. */
const PROBE_MS = 250;

/** Asks one input after the other in threads that may be lost over it. */
export class Prober {
  readonly #start: () => Worker;
  #thread: Promise<Worker> | undefined;

  constructor(start: () => Worker) {
    this.#start = start;
  }

  async hangs(input: FuzzInput): Promise<boolean> {
    this.#thread ??= ready(this.#start());
    const thread = await this.#thread;
    const isAnswered = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), PROBE_MS);
      const answered = ({ type }: ThreadMessage): void => {
        if (type !== 'answered') return;
        clearTimeout(timer);
        resolve(true);
      };
      thread.on('message', answered);
      thread.postMessage(input);
    });
    if (isAnswered) thread.removeAllListeners('message');
    else await this.close();
    return !isAnswered;
  }

  async close(): Promise<void> {
    const thread = await this.#thread;
    this.#thread = undefined;
    await thread?.terminate();
  }
}

/** Also one that ends at once: it then answers nothing, and that shows. */
function ready(thread: Worker): Promise<Worker> {
  return new Promise((resolve) => {
    thread.once('message', () => resolve(thread));
    thread.once('exit', () => resolve(thread));
    thread.on('error', () => resolve(thread));
  });
}

/** Cuts the texts to the fewest characters that still hang, as far as the time goes. The last character stays. */
export async function smallestHang(
  prober: Prober,
  input: FuzzInput,
  timeMs: number,
): Promise<FuzzInput> {
  const until = performance.now() + timeMs - PROBE_MS;
  let smallest = input;
  const tries = async (candidate: FuzzInput): Promise<boolean> => {
    if (performance.now() > until) return false;
    const hangs = await prober.hangs(candidate);
    if (hangs) smallest = candidate;
    return hangs;
  };
  try {
    await tries({ ...input, messages: [] });
    const whole = smallest;
    let [fits, hangs] = [0, longest(whole)];
    while (hangs - fits > 1 && performance.now() <= until) {
      const middle = Math.floor((fits + hangs) / 2);
      if (await tries(cut(whole, middle))) hangs = middle;
      else fits = middle;
    }
    return smallest;
  } finally {
    await prober.close();
  }
}

function cut(input: FuzzInput, length: number): FuzzInput {
  const shorter = (text: string): string =>
    text.length <= length ? text : (text.slice(0, length - 1) + text.slice(-1)).toWellFormed();
  const messages = mapTexts(input.messages as JsonValue, shorter); // A list of JSON.
  return { ...input, payload: mapTexts(input.payload, shorter), messages: messages as JsonValue[] };
}

function longest(input: FuzzInput): number {
  let length = 0;
  mapTexts([input.payload, input.messages as JsonValue], (text) => {
    length = Math.max(length, text.length);
    return text;
  });
  return length;
}
