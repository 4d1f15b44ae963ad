import type { EventBody } from '../events/event.ts';
import type { Writable } from '../internal/writable.ts';
import type { ChatResponse } from '../protocol/chat.ts';
import type { Purpose } from '../protocol/texts.ts';

/** Tells of an answer that was paid for, and nothing of what is in it. */
export function respondedEvent(
  response: ChatResponse,
  about: { readonly cost: number | undefined; readonly purpose?: Purpose },
): EventBody {
  const { id, model, finishReason, toolCalls, usage, latencyMs } = response;
  const { cost, purpose } = about;
  const event: Writable<Extract<EventBody, { readonly type: 'llm.responded' }>> = {
    type: 'llm.responded',
    responseId: id,
    model,
    finishReason,
    toolCalls: toolCalls.length,
    usage,
    latencyMs,
  };
  if (purpose !== undefined) event.purpose = purpose;
  if (cost !== undefined) event.cost = cost;
  return event;
}
