import { CorruptRecordError } from '../errors/store-error.ts';
import { pageLimit } from './page-limit.ts';
import type { ListOptions } from './port.ts';

/** A page of records that are read one by one: what is damaged does not keep the others from being read. */
export class Page<Row, Item> {
  readonly items: Item[] = [];
  readonly #read: (row: Row) => Item;
  readonly #limit: number;
  readonly #onDamaged: ListOptions['onDamaged'];

  constructor(
    options: {
      readonly limit?: number | undefined;
      readonly onDamaged?: ListOptions['onDamaged'] | undefined;
    },
    read: (row: Row) => Item,
  ) {
    this.#limit = pageLimit(options.limit);
    this.#onDamaged = options.onDamaged;
    this.#read = read;
  }

  /** How many rows are to be asked for; `Infinity` for all. */
  get wanted(): number {
    return this.#limit - this.items.length;
  }

  /** Reads what was asked for. True when there may be more, and it is wanted: in the place of what was damaged. */
  add(rows: readonly Row[]): boolean {
    const asked = this.wanted;
    for (const row of rows) {
      try {
        this.items.push(this.#read(row));
      } catch (error) {
        leaveOut(error, this.#onDamaged);
      }
    }
    return rows.length >= asked && this.wanted > 0;
  }
}

/** Throws anything but a damaged record that somebody is told of. */
export function leaveOut(error: unknown, onDamaged: ListOptions['onDamaged']): undefined {
  if (onDamaged === undefined || !CorruptRecordError.isInstance(error)) throw error;
  onDamaged(error);
  return undefined;
}
