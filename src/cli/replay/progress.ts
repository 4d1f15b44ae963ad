/** What a terminal shows while a replay runs. */
export interface ProgressPorts {
  /** Writes to the terminal; absent where none is there. */
  readonly write?: (text: string) => void;
  /** Milliseconds. */
  readonly now: () => number;
}

const WIDTH = 24;
const EVERY_MS = 100;
const CLEAR = '\r\u001b[K';

/** A bar by how much of the files is read; how many conversations there are, nobody knows before the end. */
export class Progress {
  readonly #ports: ProgressPorts;
  readonly #totalBytes: number;
  #bytes = 0;
  #conversations = 0;
  #shownAt = Number.NEGATIVE_INFINITY;
  #isShown = false;

  constructor(ports: ProgressPorts, totalBytes: number) {
    this.#ports = ports;
    this.#totalBytes = totalBytes;
  }

  read(bytes: number): void {
    this.#bytes += bytes;
  }

  next(): void {
    this.#conversations += 1;
    const { write, now } = this.#ports;
    if (write === undefined || now() - this.#shownAt < EVERY_MS) return;
    this.#shownAt = now();
    this.#isShown = true;
    write(`${CLEAR}${this.#line()}`);
  }

  /** Makes room for what is printed. */
  clear(): void {
    if (!this.#isShown) return;
    this.#isShown = false;
    this.#shownAt = Number.NEGATIVE_INFINITY;
    this.#ports.write?.(CLEAR);
  }

  #line(): string {
    const counted = `${this.#conversations} conversations`;
    if (this.#totalBytes === 0) return counted;
    const share = Math.min(1, this.#bytes / this.#totalBytes);
    const full = Math.round(share * WIDTH);
    const bar = `${'#'.repeat(full)}${'.'.repeat(WIDTH - full)}`;
    return `[${bar}] ${Math.floor(share * 100)}% ${counted}`;
  }
}
