import type { EventBody } from '../events/event.ts';
import type { ChatResponse } from '../protocol/chat.ts';
import type { Purpose } from '../protocol/texts.ts';

/** Tells of an answer that was paid for, and nothing of what is in it. */
export function respondedEvent(
  response: ChatResponse,
  about: { readonly cost: number | undefined; readonly purpose?: Purpose },
): EventBody {
  const { id, model, finishReason, toolCalls, usage, latencyMs } = response;
  const { cost, purpose } = about;
  return {
    type: 'llm.responded',
    ...(purpose !== undefined && { purpose }),
    responseId: id,
    model,
    finishReason,
    toolCalls: toolCalls.length,
    usage,
    ...(cost !== undefined && { cost }),
    latencyMs,
  };
}
