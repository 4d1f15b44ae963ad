import type { Usage } from './chat.ts';

/** Adds one call's tokens to a running sum. */
export function addUsage(sum: Usage, more: Usage): Usage {
  const cached = (sum.cachedInputTokens ?? 0) + (more.cachedInputTokens ?? 0);
  const reasoning = (sum.reasoningTokens ?? 0) + (more.reasoningTokens ?? 0);
  return Object.freeze({
    inputTokens: sum.inputTokens + more.inputTokens,
    outputTokens: sum.outputTokens + more.outputTokens,
    ...(cached > 0 && { cachedInputTokens: cached }),
    ...(reasoning > 0 && { reasoningTokens: reasoning }),
  });
}

export const NO_USAGE: Usage = Object.freeze({ inputTokens: 0, outputTokens: 0 });

/** Input and output together; cached tokens are part of the input and are not added again. */
export function totalTokens(usage: Usage): number {
  return usage.inputTokens + usage.outputTokens;
}
