import { deepFreeze } from '../internal/deep-freeze.ts';
import type { ChatStreamPart } from './chat.ts';
import { firstProblem } from './message-schema.ts';
import { streamPartSchema } from './model-schema.ts';

/** Reads one part of an answer from outside: copied, without members nobody knows, and frozen. Never throws. */
export function readStreamPart(
  value: unknown,
): { readonly part: ChatStreamPart } | { readonly problem: string; readonly cause?: unknown } {
  try {
    const read = streamPartSchema().safeParse(value);
    if (!read.success) return { problem: firstProblem(read.error) };
    return { part: deepFreeze(read.data as ChatStreamPart) }; // An explicit `undefined` means absent, and zod leaves none where there was none.
  } catch (cause) {
    return { problem: 'it cannot be read', cause };
  }
}
