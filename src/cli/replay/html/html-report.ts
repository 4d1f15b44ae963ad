import { closeSync, lstatSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { ReplayEntry, ReplayReport } from '../../../testing/replay/report.ts';
import { conversationScript, HEAD, tail } from './page.ts';
import { isWorthReading, viewOf } from './view.ts';

/** What a browser can hold and a person can read; what is beyond is counted. */
const MAX_WORTH_READING = 2_000;
const MAX_OTHERS = 200;
const MAX_CHARACTERS = 50_000_000;

/**
 * Writes the report for people, one conversation at a time: how many there are costs no memory. It takes the place of an
 * older one when it is whole, and not before.
 */
export class HtmlReport {
  readonly #path: string;
  /** Where it is written. What is no plain file, such as a link or a pipe, is written to as it is. */
  readonly #part: string;
  readonly #file: number;
  #isWhole = false;
  readonly #names: { readonly hooks: string; readonly against?: string };
  #worthReading = 0;
  #others = 0;
  #leftOut = 0;
  #characters = 0;

  /** Opens the file, so that a path that cannot be written is known before anything runs. */
  constructor(
    path: string,
    { hooks, against }: { readonly hooks: string; readonly against?: string },
  ) {
    const before = lstatSync(path, { throwIfNoEntry: false });
    this.#path = path;
    this.#part = before === undefined || before.isFile() ? `${path}.part` : path;
    this.#file = openSync(this.#part, 'w');
    this.#names = { hooks, ...(against !== undefined && { against }) };
    writeFileSync(this.#file, HEAD);
  }

  add(entry: ReplayEntry): void {
    const view = viewOf(entry);
    const isWorth = isWorthReading(view);
    const isFull = isWorth ? this.#worthReading >= MAX_WORTH_READING : this.#others >= MAX_OTHERS;
    const script = isFull ? '' : conversationScript(view);
    if (isFull || this.#characters + script.length > MAX_CHARACTERS) {
      this.#leftOut += 1;
      return;
    }
    this.#characters += script.length;
    if (isWorth) this.#worthReading += 1;
    else this.#others += 1;
    writeFileSync(this.#file, script);
  }

  end(summary: ReplayReport): void {
    writeFileSync(this.#file, tail({ ...this.#names, leftOut: this.#leftOut, summary }));
    this.#isWhole = true;
  }

  close(): void {
    closeSync(this.#file);
    if (this.#part === this.#path) return;
    if (this.#isWhole) renameSync(this.#part, this.#path);
    else rmSync(this.#part);
  }
}
