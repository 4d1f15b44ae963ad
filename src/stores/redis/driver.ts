/** What is used of a client or a cluster of `ioredis`, so that its types need not be installed. */
export interface RedisClient {
  call(command: string, args: (string | number)[]): Promise<unknown>;
  /** True for a cluster. */
  readonly isCluster?: boolean;
}
