import { deepFreeze } from '../internal/deep-freeze.ts';
import { WriteLog } from '../internal/write-log.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { Drafts, MemoryPort } from './gate.ts';

/**
 * What policies write to their memory before it is known whether their answer counts. A policy that is asked about two
 * calls at a time reads in each what it wrote in the other, so that what it counts is counted.
 */
export class MemoryDrafts implements Drafts {
  readonly #port: MemoryPort;
  readonly #logs = new Map<string, WriteLog<JsonValue>>();

  constructor(port: MemoryPort) {
    this.#port = port;
  }

  read(policy: string): JsonObject {
    return this.#logs.get(policy)?.live ?? this.#port.read(policy);
  }

  write(policy: string, by: object, [key, value]: readonly [string, JsonValue | undefined]): void {
    let log = this.#logs.get(policy);
    if (log === undefined) {
      log = new WriteLog(this.#port.read(policy));
      this.#logs.set(policy, log);
    }
    log.put(by, key, deepFreeze(value));
  }

  settle(policy: string, by: object, counts: boolean): void {
    const log = this.#logs.get(policy);
    if (log === undefined) return;
    if (counts) {
      log.keep(by);
      this.#port.write(policy, log.kept);
    } else log.drop(by);
    if (!log.isOpen) this.#logs.delete(policy);
  }
}
