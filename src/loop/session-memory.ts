import type { Drafts, MemoryPort } from '../hooks/gate.ts';
import { MemoryDrafts } from '../hooks/memory-drafts.ts';
import type { JsonObject } from '../protocol/json.ts';

/** What a run of a subagent has of the memory above it. */
interface Above {
  readonly policies: ReadonlySet<string>;
  readonly memory: Pick<SessionMemory, 'draftsOf'>;
}

/** What policies remember: read as loaded, and handed to the next commit where it changed. */
export class SessionMemory implements Required<MemoryPort> {
  readonly #above: Above | undefined;
  // Both made when there is something to hold: most runs remember nothing, and a crowd of them waits at a time.
  #loaded: Map<string, JsonObject> | undefined;
  #changed: Map<string, JsonObject> | undefined;
  #drafts: MemoryDrafts | undefined;

  constructor(loaded: { readonly [policy: string]: JsonObject }, above?: Above) {
    this.#above = above;
    const entries = Object.entries(loaded);
    if (entries.length > 0) this.#loaded = new Map(entries);
  }

  get isChanged(): boolean {
    return this.#changed !== undefined;
  }

  /** Those of the thread that the memory is of. */
  draftsOf(policy: string): Drafts {
    if (this.#above?.policies.has(policy) === true) return this.#above.memory.draftsOf(policy);
    this.#drafts ??= new MemoryDrafts(this);
    return this.#drafts;
  }

  readonly read = (policy: string): JsonObject => {
    return this.#loaded?.get(policy) ?? EMPTY;
  };

  readonly write = (policy: string, value: JsonObject): void => {
    this.#loaded ??= new Map();
    this.#loaded.set(policy, value);
    this.#changed ??= new Map();
    this.#changed.set(policy, value);
  };

  /** What the next commit has to write. What is written during that commit waits for the one after it. */
  takeChanges(): { readonly [policy: string]: JsonObject } {
    if (this.#changed === undefined) return EMPTY;
    const changes = Object.fromEntries(this.#changed);
    this.#changed = undefined;
    return changes;
  }

  /** After a commit that failed: what it should have written, unless it has changed again. */
  putBack(changes: { readonly [policy: string]: JsonObject }): void {
    const entries = [...Object.entries(changes), ...(this.#changed ?? [])];
    if (entries.length > 0) this.#changed = new Map(entries);
  }
}

const EMPTY = Object.freeze({});
