import type { Writable } from '../internal/writable.ts';
import type { ModelUsage, Usage } from './chat.ts';

type Tokens = Omit<Usage, 'otherModels'>;

/** Adds one attempt at an answer to those before it. */
export function addUsage(sum: Usage, more: Usage): Usage {
  const others = more.otherModels ?? NONE;
  return sum.otherModels === undefined && others.length === 0
    ? addTokens(sum, more)
    : withOthers(addTokens(sum, more), others.reduce(addModel, sum.otherModels ?? NONE));
}

/** What an attempt has used, as used by this model: it counts at the price of that one, whichever answers in the end. */
export function usageOf(model: string, usage: Usage): Usage {
  const own = ownUsage(usage);
  if (totalTokens(own) === 0) return usage;
  return withOthers(
    usage,
    addModel(usage.otherModels ?? NONE, { model, ...addTokens(NO_USAGE, own) }),
  );
}

/** What an answer of this model has used: nothing of its own is that of others. */
export function usageInAnswer(model: string, usage: Usage): Usage {
  const { otherModels } = usage;
  if (otherModels?.some((one) => one.model === model) !== true) return usage;
  return withOthers(
    usage,
    otherModels.filter((one) => one.model !== model),
  );
}

/** What the model that answered has used itself. Never less than nothing, whatever is said of others. */
export function ownUsage(usage: Usage): Tokens {
  const { otherModels, ...all } = usage;
  return otherModels === undefined ? all : otherModels.reduce(without, all);
}

const NONE: readonly ModelUsage[] = Object.freeze([]);

function addModel(models: readonly ModelUsage[], more: ModelUsage): readonly ModelUsage[] {
  const { model } = more;
  const known = models.find((one) => one.model === model);
  if (known === undefined) return [...models, more];
  return models.map((one) => (one === known ? { model, ...addTokens(known, more) } : one));
}

function withOthers(usage: Usage, otherModels: readonly ModelUsage[]): Usage {
  const { otherModels: _before, ...tokens } = usage;
  return otherModels.length === 0 ? tokens : { ...tokens, otherModels };
}

function without(all: Tokens, part: Tokens): Tokens {
  const rest = (count: keyof Tokens): number => Math.max(0, (all[count] ?? 0) - (part[count] ?? 0));
  return {
    inputTokens: rest('inputTokens'),
    outputTokens: rest('outputTokens'),
    cachedInputTokens: rest('cachedInputTokens'),
    reasoningTokens: rest('reasoningTokens'),
  };
}

/** Adds one call's tokens to a running sum, which does not know of models. */
export function addTokens(sum: Tokens, more: Tokens): Tokens {
  const usage: Writable<Tokens> = {
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
export function usageSince(earlier: Tokens, sum: Tokens): Tokens {
  const since = (count: keyof Tokens): number => (sum[count] ?? 0) - (earlier[count] ?? 0);
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
export function totalTokens(usage: Tokens): number {
  return usage.inputTokens + usage.outputTokens;
}
