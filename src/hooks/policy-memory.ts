import { HookError } from '../errors/hook-error.ts';
import { deepFreeze } from '../internal/deep-freeze.ts';
import { isJson } from '../internal/is-json.ts';
import { toJson } from '../internal/to-json.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { PolicyMemory } from './context.ts';
import type { HookEntry } from './entry.ts';
import type { MemoryPort } from './gate.ts';

/** The ask a memory is used in. */
export interface MemoryUser {
  readonly run: { readonly ports: { readonly memory: MemoryPort } };
  readonly entry: HookEntry;
  readonly question: { readonly point: string };
  readonly isOver: boolean;
  fault: HookError | undefined;
}

/**
 * What one policy remembers about the thread, during one ask. A misuse throws in the policy, and fails the
 * ask even if the policy catches it. Nothing can be written once the ask is over: a hook that passed its
 * limit must not change anything any more.
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
    const all = this.#readToWrite();
    if (typeof key !== 'string' || key === '' || key === '__proto__') {
      throw this.#misuse('a key of memory was no usable text', 'Use a short name as the key');
    }
    if (value === undefined || !isJson(value)) {
      throw this.#misuse(
        'memory was given something that is not plain JSON',
        'Store plain JSON, or `delete` the key',
      );
    }
    this.#write({ ...all, [key]: toJson(value) });
  }

  delete(key: string): void {
    const { [key]: gone, ...rest } = this.#readToWrite();
    if (gone !== undefined) this.#write(rest);
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
    return run.ports.memory.read(entry.policy);
  }

  #write(value: JsonObject): void {
    this.#user.run.ports.memory.write(this.#user.entry.policy, deepFreeze(value));
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
