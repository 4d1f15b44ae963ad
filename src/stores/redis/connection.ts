import { createHash } from 'node:crypto';
import { CorruptRecordError, StoreAccessError, StoreError } from '../../errors/store-error.ts';
import { repeat } from '../remote/repeat.ts';
import { DeadlineError, withDeadline } from '../remote/with-deadline.ts';
import type { RedisClient } from './driver.ts';
import { isReadOnly, isUnknownScript, isWrongType, mayPass, redisFailure } from './failure.ts';
import { Keys } from './keys.ts';
import type { OwnClient } from './load-ioredis.ts';

export interface ConnectionOptions {
  readonly client: RedisClient;
  /** The client again, where it ends with the store. */
  readonly owned: OwnClient | undefined;
  readonly prefix: string;
  /** How long one request may take, repeats included, in milliseconds. */
  readonly timeoutMs: number;
}

/** One Lua script, which runs as a whole or not at all. */
export class Script {
  readonly text: string;
  readonly sha: string;

  constructor(text: string) {
    this.text = text;
    this.sha = createHash('sha1').update(text).digest('hex');
  }
}

/** A script and what it is given. Its keys are those of one thread, or of one counter where none is named. */
export interface ScriptCall {
  readonly script: Script;
  readonly threadId?: string;
  readonly keys: readonly string[];
  readonly args?: readonly (string | number)[];
}

/**
 * Commands, each in the time of a request. One that a broken connection got in the way of is repeated, here and by
 * the client, so everything given here has to do the same the second time.
 */
export class RedisConnection {
  /** How errors name this store. */
  readonly where: string;
  readonly keys: Keys;
  /** How long one request may take, repeats included, in milliseconds. */
  readonly timeoutMs: number;
  readonly #options: ConnectionOptions;
  #closed = false;
  #broken: unknown;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.where = `redisStore '${options.prefix}'`;
    this.keys = new Keys(options.prefix);
    this.timeoutMs = options.timeoutMs;
    // Heard, or the client would write it to the console as well.
    options.owned?.on('error', (error) => {
      this.#broken = error;
    });
  }

  /** Whether the client finds the node of a key by itself. */
  get isCluster(): boolean {
    return this.#options.client.isCluster === true;
  }

  call(command: string, args: readonly (string | number)[]): Promise<unknown> {
    return this.#repeated(() => this.#options.client.call(command, [...args]));
  }

  /** As `call`, for a key of one thread, which is named where the key holds something else. */
  async callOf(
    threadId: string,
    command: string,
    args: readonly (string | number)[],
  ): Promise<unknown> {
    return this.#naming(threadId, () => this.call(command, args));
  }

  async run({ script, threadId, keys, args = [] }: ScriptCall): Promise<unknown> {
    const { client } = this.#options;
    const rest = [keys.length, ...keys, ...args];
    const work = (): Promise<unknown> =>
      this.#repeated(async () => {
        try {
          return await client.call('EVALSHA', [script.sha, ...rest]);
        } catch (error) {
          if (!isUnknownScript(error)) throw error;
          return await client.call('EVAL', [script.text, ...rest]);
        }
      });
    return threadId === undefined ? work() : this.#naming(threadId, work);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const { owned } = this.#options;
    if (owned === undefined) return;
    try {
      await withDeadline(owned.quit(), this.timeoutMs);
    } catch {
      // A server that is gone cannot be told, and the socket goes all the same.
      owned.disconnect();
    }
  }

  async #repeated<T>(work: () => Promise<T>): Promise<T> {
    try {
      const answer = await repeat({
        timeoutMs: this.timeoutMs,
        mayPass: (error) => mayPass(error, this.isCluster),
        attempt: async (leftMs) => {
          if (this.#closed) throw new StoreAccessError('closed', this.where);
          return withDeadline(work(), leftMs).catch((error: unknown) => this.#leave(error));
        },
      });
      this.#broken = undefined;
      return answer;
    } catch (error) {
      if (StoreError.isInstance(error)) throw error;
      // A connection that swallows answers is not waited for again.
      if (error instanceof DeadlineError) this.#options.owned?.disconnect(true);
      const { where, isCluster } = this;
      throw redisFailure(error, { where, isCluster, broken: this.#broken });
    }
  }

  #leave(error: unknown): never {
    if (isReadOnly(error)) this.#options.owned?.disconnect(true);
    throw error;
  }

  async #naming<T>(threadId: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StoreAccessError && isWrongType(error.cause))) throw error;
      throw new CorruptRecordError(
        threadId,
        `keys '${this.keys.of(threadId).thread}' and beside it, thread '${threadId}'`,
        'a key holds another type of value than the store put there',
      );
    }
  }
}
