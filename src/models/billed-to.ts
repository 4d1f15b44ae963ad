import { AgentHooksError } from '../errors/base.ts';
import { ModelError } from '../errors/model-error.ts';
import type { Usage } from '../protocol/chat.ts';
import { addUsage, NO_USAGE, usageOf } from '../protocol/usage.ts';

/** What a failure has cost, at the price of the model that failed: whoever hears of it asked for another. */
export function billedTo(model: string, error: unknown): unknown {
  return ModelError.isInstance(error) && error.usage !== undefined
    ? error.withUsage(usageOf(model, error.usage))
    : error;
}

/** A failure with what the attempts before it have cost; one that has no account of its own becomes the cause of one. */
export function withSpent(error: unknown, spent: Usage, model: string): unknown {
  if (spent === NO_USAGE) return error;
  if (ModelError.isInstance(error))
    return error.withUsage(addUsage(spent, error.usage ?? NO_USAGE));
  if (AgentHooksError.isInstance(error)) return error;
  const what = 'the last of several attempts failed with an error it does not explain';
  const text = { where: `model '${model}'`, what, fix: 'See `cause`' };
  return new ModelError('model-failed', text, { cause: error, usage: spent });
}
