import { type ChatResponse, Policy, ResponseDecision } from 'agent-hooks';

/** A response either speaks to the customer or makes one tool call. */
export class SpeakOrAct extends Policy {
  override onLlmResponse({ text, toolCalls }: ChatResponse): ResponseDecision | undefined {
    if (toolCalls.length > 1) {
      return ResponseDecision.retryWithFeedback('Make one tool call at a time.');
    }
    if (toolCalls.length === 1 && text.trim() !== '') {
      return ResponseDecision.retryWithFeedback(
        'You wrote to the customer beside a tool call. Do one of the two: make the call without a text, or answer without a call.',
      );
    }
    return undefined;
  }
}
