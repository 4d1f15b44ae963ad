import { HookError } from '../errors/hook-error.ts';
import { deepFreeze } from '../internal/deep-freeze.ts';
import { isJson } from '../internal/is-json.ts';
import { toJson } from '../internal/to-json.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { PolicyMemory } from './context.ts';
import type { HookEntry } from './entry.ts';
import type { Drafts } from './gate.ts';

/** The ask a memory is used in. */
export interface MemoryUser {
  readonly run: { readonly draftsOf: (policy: string) => Drafts };
  readonly entry: HookEntry;
  readonly question: { readonly point: string };
  readonly isOver: boolean;
  /** Set with the first write, which counts once the ask is answered. */
  hasWritten: boolean;
  fault: HookError | undefined;
}

/**
 * What one policy remembers about the thread, during one ask. What it writes counts when the ask is over and its
 * answer is legal; one that has failed, was cut off or came too late has written nothing. A misuse throws in the
 * policy, and fails the ask even if the policy catches it.
 */
export function policyMemory(user: MemoryUser): PolicyMemory {
  return new AskMemory(user);
}

class AskMemory implements PolicyMemory {
  readonly #user: MemoryUser;

  constructor(user: MemoryUser) {
    this.#user = user;
  }

  get(key: string): JsonValue | undefined {
    const all = this.#read();
    return Object.hasOwn(all, key) ? deepFreeze(all[key]) : undefined;
  }

  set(key: string, value: JsonValue): void {
    this.#readToWrite();
    if (typeof key !== 'string' || key === '' || key === '__proto__') {
      throw this.#misuse('a key of memory was no usable text', 'Use a short name as the key');
    }
    if (value === undefined || !isJson(value)) {
      throw this.#misuse(
        'memory was given something that is not plain JSON',
        'Store plain JSON, or `delete` the key',
      );
    }
    this.#write(key, toJson(value));
  }

  delete(key: string): void {
    if (Object.hasOwn(this.#readToWrite(), key)) this.#write(key, undefined);
  }

  #readToWrite(): JsonObject {
    const all = this.#read();
    if (!this.#user.isOver) return all;
    throw this.#misuse(
      'memory was written after the hook had answered or been given up on',
      'Await every write before answering',
    );
  }

  #read(): JsonObject {
    const { entry, run } = this.#user;
    if (entry.namedBy !== 'explicit') {
      throw this.#misuse(
        'memory was used by a policy without a `name`, which it is kept under',
        'Give the policy a `name`',
      );
    }
    return run.draftsOf(entry.policy).read(entry.policy);
  }

  #write(key: string, value: JsonValue | undefined): void {
    this.#user.hasWritten = true;
    const { run, entry } = this.#user;
    run.draftsOf(entry.policy).write(entry.policy, this.#user, [key, value]);
  }

  #misuse(detail: string, fix: string): HookError {
    const { entry, question } = this.#user;
    const error = new HookError({
      policy: entry.policy,
      point: question.point,
      kind: 'illegal',
      detail,
      fix,
    });
    this.#user.fault ??= error;
    return error;
  }
}
