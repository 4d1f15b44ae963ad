/** What has to be done once before anything else. One that failed is tried again by the next who needs it. */
export class Opening<T> {
  readonly #open: () => Promise<T>;
  #opened: Promise<T> | undefined;

  constructor(open: () => Promise<T>) {
    this.#open = open;
  }

  ready(): Promise<T> {
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }
}
