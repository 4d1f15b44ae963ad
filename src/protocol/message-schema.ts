import * as z from 'zod';
import { builtWhenUsed } from '../internal/built-when-used.ts';
import { deepFreeze } from '../internal/deep-freeze.ts';
import { isJson } from '../internal/is-json.ts';
import { toJson } from '../internal/to-json.ts';
import type { ModelSettings } from './chat.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { FilePart, Message, ToolOutcome, UserMessage } from './message.ts';

/** JSON from outside: checked, then copied without `undefined` and `__proto__`, so the giver's object stays its own. */
export const jsonValueSchema: () => z.ZodType<JsonValue> = builtWhenUsed(() =>
  z
    .custom<JsonValue>((value) => value !== undefined && isJson(value), 'is not plain JSON')
    .transform((value) => toJson(value)),
);

export const jsonObjectSchema: () => z.ZodType<JsonObject> = builtWhenUsed(() =>
  z
    .custom<JsonObject>(
      (value) =>
        typeof value === 'object' && value !== null && !Array.isArray(value) && isJson(value),
      'is not a plain JSON object',
    )
    .transform((value) => toJson(value) as JsonObject),
);

/** Half of a character would be stored differently by every store. */
export const textSchema: () => z.ZodString = builtWhenUsed(() =>
  z.string().overwrite((text) => text.toWellFormed()),
);

const metadata = builtWhenUsed(() => ({ providerMetadata: jsonObjectSchema().optional() }));
const textPart = builtWhenUsed(() =>
  z.strictObject({ type: z.literal('text'), text: textSchema(), ...metadata() }),
);
const reasoningPart = builtWhenUsed(() =>
  z.strictObject({
    type: z.literal('reasoning'),
    text: textSchema(),
    ...metadata(),
  }),
);
export const filePart: () => z.ZodType<FilePart> = builtWhenUsed(
  () =>
    z
      .strictObject({
        type: z.literal('file'),
        mediaType: textSchema().min(1),
        data: textSchema().optional(),
        url: textSchema().optional(),
        filename: textSchema().optional(),
      })
      .refine(
        (part) => (part.data === undefined) !== (part.url === undefined),
        'needs exactly one of data and url',
      ) as z.ZodType<FilePart>,
);
const toolCallPart = builtWhenUsed(() =>
  z.strictObject({
    type: z.literal('tool-call'),
    callId: textSchema(),
    providerCallId: textSchema(),
    toolName: textSchema(),
    input: jsonValueSchema(),
    malformed: textSchema().optional(),
    ...metadata(),
  }),
);
export const outcomeSchema: () => z.ZodType<ToolOutcome> = builtWhenUsed(() =>
  z.enum([
    'succeeded',
    'failed',
    'blocked',
    'denied',
    'not-executed',
    'invalid',
    'unknown-tool',
    'cancelled',
    'unknown',
    'running',
  ] satisfies ToolOutcome[]),
);
const toolResultPart = builtWhenUsed(() =>
  z.strictObject({
    type: z.literal('tool-result'),
    callId: textSchema(),
    providerCallId: textSchema(),
    toolName: textSchema(),
    outcome: outcomeSchema(),
    isError: z.boolean(),
    output: jsonValueSchema(),
    files: z.array(filePart()).optional(),
  }),
);

const userMessage = builtWhenUsed(() =>
  z.strictObject({
    role: z.literal('user'),
    content: z.array(z.union([textPart(), filePart()])),
  }),
);
const messageSchema = builtWhenUsed(() =>
  z.discriminatedUnion('role', [
    z.strictObject({ role: z.literal('system'), content: textSchema() }),
    userMessage(),
    z.strictObject({
      role: z.literal('assistant'),
      content: z.array(z.union([textPart(), reasoningPart(), filePart(), toolCallPart()])),
    }),
    z.strictObject({ role: z.literal('tool'), content: z.array(toolResultPart()) }),
  ]),
);

export const modelSettingsSchema: () => z.ZodType<ModelSettings> = builtWhenUsed(
  () =>
    z.strictObject({
      temperature: z.number().optional(),
      topP: z.number().optional(),
      maxTokens: z.int().positive().optional(),
      presencePenalty: z.number().optional(),
      frequencyPenalty: z.number().optional(),
      stop: z.union([z.string(), z.array(z.string())]).optional(),
      seed: z.int().optional(),
    }) as z.ZodType<ModelSettings>,
);

/** Reads one message from outside, frozen. The problem names the field; it never quotes the content. */
export function parseMessage(value: unknown): { message: Message } | { problem: string } {
  const result = messageSchema().safeParse(value);
  return result.success
    ? { message: deepFreeze(result.data as Message) }
    : { problem: firstProblem(result.error) };
}

/** Reads what `run` takes as a message: a text, or a user message. */
export function parseUserMessage(value: unknown): { message: UserMessage } | { problem: string } {
  if (typeof value === 'string') {
    return {
      message: deepFreeze({
        role: 'user',
        content: [{ type: 'text', text: value.toWellFormed() }],
      }),
    };
  }
  const result = userMessage().safeParse(value);
  return result.success
    ? { message: deepFreeze(result.data as UserMessage) }
    : { problem: firstProblem(result.error) };
}

/** The first fault zod found, as `field.path: what`. */
export function firstProblem(error: z.ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) return 'does not fit';
  const path = issue.path.map(String).join('.');
  return path === '' ? issue.message : `${path}: ${issue.message}`;
}
