import type { FinishReason, Usage } from '../../protocol/chat.ts';
import { isRecord, readString } from './read-values.ts';

/** What has to be known of a model to read its answers. */
export interface ModelFacts {
  readonly id: string;
  readonly specificationVersion: string;
  readonly provider: string;
}

/** The end of an answer, whole or streamed. */
interface Ending {
  readonly finishReason?: unknown;
  readonly usage?: unknown;
  readonly providerMetadata?: unknown;
}

const FINISH_REASONS: readonly string[] = [
  'stop',
  'tool-calls',
  'length',
  'content-filter',
  'error',
] satisfies readonly FinishReason[];

/** A reason that is not known never counts as one that lets tools run. */
export function readFinishReason(reason: unknown, { provider }: ModelFacts): FinishReason {
  const { unified, raw } = readReason(reason);
  // This API has no word for calls: one that ends for a reason is incomplete, and so may be its calls.
  if (unified === 'tool-calls' && raw !== '' && provider.endsWith('.responses')) return 'other';
  return FINISH_REASONS.includes(unified) ? (unified as FinishReason) : 'other'; // One of the list above.
}

/**
 * Whether a stream ended because its connection did. Only the newest packages say so; in the others nobody gave a
 * reason and nobody counted what came out.
 */
export function wasCut({ finishReason, usage }: Ending): boolean {
  const { unified, raw } = readReason(finishReason);
  if (unified === 'interrupted') return true;
  if (raw !== '' || (unified !== 'other' && unified !== 'unknown')) return false;
  const output = isRecord(usage) ? usage['outputTokens'] : undefined;
  return (isRecord(output) ? output['total'] : output) === undefined;
}

/** A plain word in spec v2; since v3 with the provider's own word beside it. */
function readReason(reason: unknown): { readonly unified: string; readonly raw: string } {
  return isRecord(reason)
    ? { unified: readString(reason['unified']), raw: readString(reason['raw']) }
    : { unified: readString(reason), raw: '' };
}

/** What was read from a cache or written to one is part of the input, wherever a package puts it. */
export function readUsage({ usage, providerMetadata }: Ending, facts?: ModelFacts): Usage {
  const flat = isRecord(usage) ? usage : {};
  const input = isRecord(flat['inputTokens']) ? flat['inputTokens'] : undefined;
  const output = isRecord(flat['outputTokens']) ? flat['outputTokens'] : undefined;
  const cached = readCount(input?.['cacheRead'] ?? flat['cachedInputTokens']);
  const reasoning = readCount(output?.['reasoning'] ?? flat['reasoningTokens']);
  const aside = keepsCacheAside(facts) ? cached + written(providerMetadata) : 0;
  return {
    inputTokens: readCount(input === undefined ? flat['inputTokens'] : input['total']) + aside,
    outputTokens: readCount(output === undefined ? flat['outputTokens'] : output['total']),
    ...(cached > 0 && { cachedInputTokens: cached }),
    ...(reasoning > 0 && { reasoningTokens: reasoning }),
  };
}

/** Spec v2 passes on what the provider counts, and Anthropic does not count the cache as input. */
function keepsCacheAside(facts: ModelFacts | undefined): boolean {
  return facts?.specificationVersion === 'v2' && /anthropic|bedrock/.test(facts.provider);
}

function written(metadata: unknown): number {
  const own = isRecord(metadata) ? metadata['anthropic'] : undefined;
  return isRecord(own) ? readCount(own['cacheCreationInputTokens']) : 0;
}

/** Counts are whole; one that no answer can have cost says nothing. */
function readCount(value: unknown): number {
  const count = typeof value === 'number' ? Math.round(value) : 0;
  return Number.isSafeInteger(count) && count > 0 ? count : 0;
}
