/** What a contender's store was asked for, and how long anything of a kind was under way. */
export interface Usage {
  /** Transactions that write. */
  readonly writes: number;
  /** Milliseconds in which at least one write was under way: those at the same time count once. */
  readonly writeMs: number;
  /** The same of reads. */
  readonly readMs: number;
}

type Kind = 'write' | 'read';

// One method of a store or a saver; what it takes and gives stays as it is.
type Method = (this: unknown, ...args: unknown[]) => unknown;

/** Counts and times what goes through the methods of a store. */
export class Meter {
  #writes = 0;
  readonly #busy = { write: new Busy(), read: new Busy() };

  /** Puts itself around the named methods of `store`. */
  attach(store: object, kinds: Readonly<Record<string, Kind>>): void {
    for (const [name, kind] of Object.entries(kinds)) {
      const method: unknown = Reflect.get(store, name);
      if (typeof method !== 'function') throw new Error(`there is no ${name} to be measured`);
      Reflect.set(store, name, this.#around(method as Method, kind));
    }
  }

  #around(method: Method, kind: Kind): Method {
    const meter = this;
    return function metered(this: unknown, ...args) {
      const busy = meter.#busy[kind];
      if (kind === 'write') meter.#writes += 1;
      busy.begin();
      try {
        const result = method.apply(this, args);
        if (!(result instanceof Promise)) {
          busy.end();
          return result;
        }
        return result.finally(() => busy.end());
      } catch (error) {
        busy.end();
        throw error;
      }
    };
  }

  /** What came since the last time it was asked. */
  take(): Usage {
    const usage = {
      writes: this.#writes,
      writeMs: this.#busy.write.take(),
      readMs: this.#busy.read.take(),
    };
    this.#writes = 0;
    return usage;
  }
}

class Busy {
  #open = 0;
  #since = 0;
  #ms = 0;

  begin(): void {
    if (this.#open === 0) this.#since = performance.now();
    this.#open += 1;
  }

  end(): void {
    this.#open -= 1;
    if (this.#open === 0) this.#ms += performance.now() - this.#since;
  }

  take(): number {
    if (this.#open > 0) throw new Error('asked while something was under way');
    const ms = this.#ms;
    this.#ms = 0;
    return ms;
  }
}
