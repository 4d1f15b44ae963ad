import * as z from 'zod';
import { ConfigError } from '../errors/config-error.ts';
import { builtWhenUsed } from '../internal/built-when-used.ts';
import { firstProblem } from '../protocol/message-schema.ts';
import type { SubmittedToolResult } from '../protocol/tool.ts';

const call = builtWhenUsed(() => ({
  callId: z.string().min(1),
  idempotencyKey: z.string().optional(),
}));

const submittedSchema = builtWhenUsed(() =>
  z.array(
    z.union([
      z
        .strictObject({ ...call(), output: z.unknown() })
        .refine((given) => given.output !== undefined, 'has neither `output` nor `error`'),
      z.strictObject({ ...call(), error: z.string().min(1) }),
    ]),
  ),
);

/** Only results in exactly this form count. Whether an output is one of its tool, the thread has to say. */
export function checkSubmitted(where: string, results: unknown): readonly SubmittedToolResult[] {
  const read = submittedSchema().safeParse(results);
  // An output is whatever the host gave; the schema of the tool reads it.
  if (read.success) return read.data as readonly SubmittedToolResult[];
  throw new ConfigError('invalid-input', {
    where: `${where}: results`,
    what: firstProblem(read.error),
    fix: 'Pass `[{ callId, output }]` or `[{ callId, error }]`, one for each call; `null` is an output',
  });
}
