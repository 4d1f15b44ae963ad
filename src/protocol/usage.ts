import type { Writable } from '../internal/writable.ts';
import type { Usage } from './chat.ts';

/** Adds one call's tokens to a running sum. */
export function addUsage(sum: Usage, more: Usage): Usage {
  const usage: Writable<Usage> = {
    inputTokens: sum.inputTokens + more.inputTokens,
    outputTokens: sum.outputTokens + more.outputTokens,
  };
  const cached = (sum.cachedInputTokens ?? 0) + (more.cachedInputTokens ?? 0);
  if (cached > 0) usage.cachedInputTokens = cached;
  const reasoning = (sum.reasoningTokens ?? 0) + (more.reasoningTokens ?? 0);
  if (reasoning > 0) usage.reasoningTokens = reasoning;
  return usage;
}

/** What a running sum has gained since it was `earlier`. */
export function usageSince(earlier: Usage, sum: Usage): Usage {
  const since = (count: keyof Usage): number => (sum[count] ?? 0) - (earlier[count] ?? 0);
  const [cached, reasoning] = [since('cachedInputTokens'), since('reasoningTokens')];
  return Object.freeze({
    inputTokens: since('inputTokens'),
    outputTokens: since('outputTokens'),
    ...(cached > 0 && { cachedInputTokens: cached }),
    ...(reasoning > 0 && { reasoningTokens: reasoning }),
  });
}

export const NO_USAGE: Usage = Object.freeze({ inputTokens: 0, outputTokens: 0 });

/** Input and output together; cached tokens are part of the input and are not added again. */
export function totalTokens(usage: Usage): number {
  return usage.inputTokens + usage.outputTokens;
}
