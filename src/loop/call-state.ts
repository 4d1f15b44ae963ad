import { StateError } from '../errors/state-error.ts';
import type { JsonValue } from '../protocol/json.ts';
import type { ToolState } from '../tools/port.ts';
import type { SessionState } from './session-state.ts';

/** The state of the thread as one running call reads and writes it. */
export class CallState implements ToolState {
  readonly #values: SessionState | undefined;
  readonly #callId: string;
  readonly #isOver: () => boolean;

  constructor(values: SessionState | undefined, callId: string, isOver: () => boolean) {
    this.#values = values;
    this.#callId = callId;
    this.#isOver = isOver;
  }

  get(field: string): JsonValue | undefined {
    return this.#known().get(field);
  }

  set(field: string, value: JsonValue | undefined): void {
    const values = this.#known();
    if (!this.#isOver()) {
      values.set(this.#callId, field, value);
      return;
    }
    throw new StateError('late-write', {
      where: `call '${this.#callId}'`,
      what: 'it wrote to the state of the thread when it had its result, or had been given up on',
      fix: 'Await every write before the tool returns, and stop when `ctx.signal` is aborted; nothing was changed',
    });
  }

  #known(): SessionState {
    if (this.#values !== undefined) return this.#values;
    throw new StateError('no-schema', {
      where: `call '${this.#callId}'`,
      what: 'the agent has no `stateSchema`, so its threads have no state',
      fix: 'Give `createAgent` a `stateSchema`',
    });
  }
}
