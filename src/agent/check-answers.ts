import * as z from 'zod';
import { ConfigError } from '../errors/config-error.ts';
import { builtWhenUsed } from '../internal/built-when-used.ts';
import { firstProblem, jsonObjectSchema } from '../protocol/message-schema.ts';
import type { ApprovalAnswer } from '../protocol/tool.ts';

const answersSchema = builtWhenUsed(() =>
  z.array(
    z.strictObject({
      approvalId: z.string().min(1),
      approved: z.boolean(),
      by: z.string().min(1, 'has to say who answers'),
      reason: z.string().optional(),
      input: jsonObjectSchema().optional(),
    }),
  ),
);

/** Only an answer in exactly this form counts: whatever else comes in, nothing is approved by it. */
export function checkAnswers(answers: unknown): readonly ApprovalAnswer[] {
  const read = answersSchema().safeParse(answers);
  if (read.success) return read.data as readonly ApprovalAnswer[];
  throw new ConfigError('invalid-input', {
    where: 'agent.resume: answers',
    what: firstProblem(read.error),
    fix: 'Pass `[{ approvalId, approved: true or false, by, reason?, input? }]`',
  });
}
