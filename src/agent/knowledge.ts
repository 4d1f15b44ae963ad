import * as z from 'zod';
import { checkKeys } from '../errors/check-keys.ts';
import { ConfigError } from '../errors/config-error.ts';
import { builtWhenUsed } from '../internal/built-when-used.ts';
import type { KnowledgeIndex } from '../knowledge/port.ts';
import { type EngineTool, engineTool } from '../loop/engine-tool.ts';
import { MAX_QUERY_CHARS } from '../protocol/passage-schema.ts';
import { tool } from '../tools/tool.ts';
import { KnowledgeRun } from './search-knowledge.ts';

/** What an agent looks things up in, and how. */
export interface KnowledgeOptions {
  readonly index: KnowledgeIndex;
  /** For the model: what is in there, and when to look. Default: a general sentence. */
  readonly description?: string;
  /** The most passages of one search, 1 to 50. Default: 5. */
  readonly limit?: number;
  /** Drops what the index scored lower, and what it did not score. On the scale of the index. Default: nothing is dropped. */
  readonly minScore?: number;
  /** Milliseconds one call may take, policies included. Default: 30000. */
  readonly timeoutMs?: number;
}

/** An index, with or without options. */
export type KnowledgeOption = KnowledgeIndex | KnowledgeOptions;

const SEARCH_TOOL = 'search_knowledge';

const DESCRIPTION =
  'Searches the knowledge base and gives the passages that fit best, each with its source. ' +
  'Use it before you answer a question about facts, and answer from what it gives.';

const KNOWN = ['index', 'description', 'limit', 'minScore', 'timeoutMs'];

const inputSchema = builtWhenUsed(() =>
  z.object({
    query: z.string().max(MAX_QUERY_CHARS).describe('What to look for, in the words of the matter'),
  }),
);

/** The tool through which a model searches an index: harmless, so it runs without asking and beside others. */
export function knowledgeTool(option: KnowledgeOption): EngineTool {
  const {
    index,
    description = DESCRIPTION,
    limit = 5,
    minScore,
    timeoutMs = 30_000,
  } = read(option);
  const setting = { index, limit, minScore };
  const declared = tool({
    name: SEARCH_TOOL,
    description,
    inputSchema: inputSchema(),
    allowBlank: ['query'],
    sideEffects: 'none',
    timeoutMs,
    execute: () => {
      throw new ConfigError('invalid-tool', {
        where: `tool '${SEARCH_TOOL}'`,
        what: 'it was run outside of an agent',
        fix: 'Pass the index to `createAgent` as `knowledge`',
      });
    },
  });
  return engineTool({
    ...declared,
    runInEngine: (input, ctx, engine) =>
      // The input has passed the schema of this tool.
      new KnowledgeRun(setting, ctx, engine).search(String(input['query'])),
  });
}

/** What is wrong with the option, for `createAgent`. */
export function checkKnowledge(option: unknown): void {
  if (isIndex(option)) return;
  if (typeof option !== 'object' || option === null) throw invalid('knowledge');
  checkKeys('createAgent: knowledge', option, KNOWN);
  const given: { readonly [key: string]: unknown } = { ...option };
  if (!isIndex(given['index'])) throw invalid('knowledge.index');
  for (const [key, isValid] of Object.entries(VALID)) {
    if (given[key] !== undefined && !isValid(given[key])) throw invalid(`knowledge.${key}`);
  }
}

const VALID: { readonly [key: string]: (value: unknown) => boolean } = {
  description: (value) => typeof value === 'string' && value.trim() !== '',
  limit: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 50,
  minScore: (value) => Number.isFinite(value),
  timeoutMs: (value) => Number.isFinite(value) && Number(value) > 0 && Number(value) < 2 ** 31,
};

const EXPECTED: { readonly [key: string]: string } = {
  knowledge:
    'a KnowledgeIndex, with `search`, or `{ index, description, limit, minScore, timeoutMs }`',
  'knowledge.index': 'a KnowledgeIndex, with `search`',
  'knowledge.description': 'a text that is not empty',
  'knowledge.limit': 'a whole number from 1 to 50',
  'knowledge.minScore': 'a number',
  'knowledge.timeoutMs': 'milliseconds above 0 and below 2147483648',
};

function invalid(option: string): ConfigError {
  return new ConfigError('invalid-option', {
    where: 'createAgent',
    what: `the option '${option}' has no usable value`,
    fix: `Pass ${EXPECTED[option]}`,
  });
}

function isIndex(value: unknown): value is KnowledgeIndex {
  return (
    typeof value === 'object' &&
    value !== null &&
    'search' in value &&
    typeof value.search === 'function'
  );
}

function read(option: KnowledgeOption): KnowledgeOptions {
  return isIndex(option) ? { index: option } : option;
}
