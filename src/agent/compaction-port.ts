import type { CompactionPort } from '../loop/ports.ts';
import { roughTokens } from '../loop/rough-tokens.ts';
import type { ChatModel } from '../models/port.ts';
import type { CompactionOptions } from './agent-options.ts';

const SUMMARY_TOKENS = 2_000;

/** Every default of the option in one place. */
export function compactionPort(options: CompactionOptions, agentModel: ChatModel): CompactionPort {
  const { maxTokens, model = agentModel, instructions = '', countTokens = roughTokens } = options;
  const quarter = Math.max(1, Math.floor(maxTokens / 4));
  const atLeast = options.maxSummaryTokens ?? 1;
  const { keepTokens = Math.max(0, Math.min(quarter, maxTokens - atLeast - 1)) } = options;
  const room = Math.max(1, maxTokens - keepTokens - 1);
  const { maxSummaryTokens = Math.min(SUMMARY_TOKENS, quarter, room) } = options;
  return Object.freeze({
    model,
    instructions,
    maxTokens,
    keepTokens,
    maxSummaryTokens,
    countTokens,
  });
}
