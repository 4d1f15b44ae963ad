import { ModelError } from '../errors/model-error.ts';
import { usageOf } from '../protocol/usage.ts';

/** What a failure has cost, at the price of the model that failed: whoever hears of it asked for another. */
export function billedTo(model: string, error: unknown): unknown {
  return error instanceof ModelError && error.usage !== undefined
    ? error.withUsage(usageOf(model, error.usage))
    : error;
}
