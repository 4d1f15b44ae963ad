interface Write<Value> {
  readonly owner: unknown;
  readonly key: string;
  /** `undefined` takes the key out. */
  readonly value: Value | undefined;
  isKept: boolean;
}

type Members<Value> = { readonly [key: string]: Value };

/**
 * Writes to one record by several owners at a time, of whom each may still turn out to count or not. All of them are
 * read by everyone at once, in their order; what is `kept` is as if the others had never been made.
 */
export class WriteLog<Value> {
  readonly #base: Members<Value>;
  #writes: Write<Value>[] = [];
  #live: Members<Value>;

  constructor(base: Members<Value>) {
    this.#base = base;
    this.#live = base;
  }

  /** The record with every write in it. */
  get live(): Members<Value> {
    return this.#live;
  }

  /** The record with the writes of those who count. */
  get kept(): Members<Value> {
    return this.#fold(this.#writes.filter(({ isKept }) => isKept));
  }

  /** True while it is open of somebody whether what they wrote counts. */
  get isOpen(): boolean {
    return this.#writes.some(({ isKept }) => !isKept);
  }

  /** Of one owner and key only the latest write is held: the log is as long as what it holds, not as what was done. */
  put(owner: unknown, key: string, value: Value | undefined): void {
    this.#writes = this.#writes.filter((one) => one.owner !== owner || one.key !== key);
    this.#writes.push({ owner, key, value, isKept: false });
    this.#live = this.#fold(this.#writes);
  }

  keep(owner: unknown): void {
    for (const write of this.#writes) if (write.owner === owner) write.isKept = true;
  }

  drop(owner: unknown): void {
    this.#writes = this.#writes.filter((write) => write.owner !== owner || write.isKept);
    this.#live = this.#fold(this.#writes);
  }

  #fold(writes: readonly Write<Value>[]): Members<Value> {
    if (writes.length === 0) return this.#base;
    const members = new Map(Object.entries(this.#base));
    for (const { key, value } of writes) {
      if (value === undefined) members.delete(key);
      else members.set(key, value);
    }
    return Object.freeze(Object.fromEntries(members));
  }
}
