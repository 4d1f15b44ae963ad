export type { RetryOptions } from './retry/options.ts';
export { retryModel } from './retry/retry-model.ts';
