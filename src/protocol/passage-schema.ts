import * as z from 'zod';
import { builtWhenUsed } from '../internal/built-when-used.ts';
import { deepFreeze } from '../internal/deep-freeze.ts';
import { firstProblem, jsonObjectSchema, textSchema } from './message-schema.ts';
import type { KnowledgePassage } from './texts.ts';

/** The most characters a search may be for, whoever wrote them. */
export const MAX_QUERY_CHARS = 2_000;

const fields = builtWhenUsed(() => ({
  text: textSchema(),
  scope: textSchema(),
  source: textSchema(),
  score: z.number().optional(),
  metadata: jsonObjectSchema().optional(),
}));

/** One passage as a policy writes it: a key that nobody knows is a mistake. */
export const passageSchema: () => z.ZodType<KnowledgePassage> = builtWhenUsed(
  // The same shape: zod spells an absent key as one that may be undefined.
  () => z.strictObject(fields()) as z.ZodType<KnowledgePassage>,
);

/** An index may give more of a passage than is asked for, such as its own ids. Nobody gets to see that. */
const passagesSchema = builtWhenUsed(
  () => z.array(z.object(fields())) as z.ZodType<readonly KnowledgePassage[]>, // As above.
);

/** Reads what an index gave, frozen. The problem names the field; it never quotes the content. */
export function readPassages(
  value: unknown,
): { readonly passages: readonly KnowledgePassage[] } | { readonly problem: string } {
  const result = passagesSchema().safeParse(value);
  return result.success
    ? { passages: deepFreeze(result.data) }
    : { problem: firstProblem(result.error) };
}
