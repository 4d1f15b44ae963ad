import type { ChatResponse } from '../protocol/chat.ts';

/**
 * Tools run only for a model that stopped to call them; of one that was cut off, each call
 * is answered as an error. A policy that puts calls in makes it one that stopped for them.
 */
export function runsTools(response: ChatResponse): boolean {
  const { finishReason, toolCalls } = response;
  return toolCalls.length > 0 && (finishReason === 'tool-calls' || finishReason === 'length');
}
