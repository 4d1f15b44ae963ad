import * as z from 'zod';
import { checkKeys } from '../errors/check-keys.ts';
import { ConfigError } from '../errors/config-error.ts';
import { builtWhenUsed } from '../internal/built-when-used.ts';
import { firstProblem } from '../protocol/message-schema.ts';
import { isModel } from './is-model.ts';

const schema = builtWhenUsed(() => {
  const count = z.int().min(1);
  return z.object({
    maxTokens: count,
    keepTokens: z.int().min(0).optional(),
    maxSummaryTokens: count.optional(),
    instructions: z.string().optional(),
    model: z.custom(isModel, 'is no ChatModel, such as `fromAiSdk(...)` gives').optional(),
    countTokens: z.custom((value) => typeof value === 'function', 'is no function').optional(),
  });
});

const WANTED =
  'Pass whole numbers of tokens from 1, a text as `instructions`, a ChatModel as `model`, a function as `countTokens`';

/** Refuses a compaction that could not make a context shorter. */
export function checkCompaction(options: object): void {
  const compaction: unknown = Reflect.get(options, 'compaction');
  if (typeof compaction !== 'object' || compaction === null) return;
  checkKeys('createAgent: compaction', compaction, Object.keys(schema().shape));
  const read = schema().safeParse(compaction);
  if (!read.success) throw invalid(firstProblem(read.error), WANTED);
  const { maxTokens, keepTokens = 0, maxSummaryTokens = 0 } = read.data;
  if (keepTokens + maxSummaryTokens < maxTokens) return;
  throw invalid(
    'keepTokens and maxSummaryTokens together are not below maxTokens',
    'Leave them out, or lower them, so that what stays fits in `maxTokens`',
  );
}

function invalid(what: string, fix: string): ConfigError {
  return new ConfigError('invalid-option', {
    where: 'createAgent',
    what: `compaction.${what}`,
    fix,
  });
}
