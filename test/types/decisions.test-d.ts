/** Compiled, never run: each `@ts-expect-error` is a mistake that must not compile. */
import { MessageDecision } from '../../src/decisions/message-decision.ts';
import { RequestDecision } from '../../src/decisions/request-decision.ts';
import { ResponseDecision } from '../../src/decisions/response-decision.ts';
import { ToolDecision } from '../../src/decisions/tool-decision.ts';
import { ToolResultDecision } from '../../src/decisions/tool-result-decision.ts';
import { TurnDecision } from '../../src/decisions/turn-decision.ts';
import type { AgentHooks } from '../../src/hooks/agent-hooks.ts';
import { defineHooks, Policy } from '../../src/hooks/policy.ts';
import type { ChatRequest, ChatResponse } from '../../src/protocol/chat.ts';
import type { ToolInvocation, ToolResult } from '../../src/protocol/tool.ts';

/** Every legal decision, with no return type written anywhere. */
class Legal extends Policy {
  override onTurnStart(turn: { readonly isFirst: boolean }) {
    return turn.isFirst ? TurnDecision.proceed() : TurnDecision.block('once only');
  }

  override preLlmRequest(request: ChatRequest) {
    if (request.messages.length === 0) return RequestDecision.block('empty');
    if (request.tools.length > 9)
      return RequestDecision.modify({ messages: request.messages.slice(1) });
    return undefined;
  }

  override async onLlmResponse(response: ChatResponse) {
    if (response.text === '') return ResponseDecision.retryWithFeedback('Say something.');
    if (response.text.length > 99) return ResponseDecision.modify({ ...response, text: 'short' });
    return response.text === 'x' ? ResponseDecision.block('x') : ResponseDecision.accept();
  }

  override preToolUse(invocation: ToolInvocation) {
    switch (invocation.toolName) {
      case 'a':
        return ToolDecision.allow();
      case 'b':
        return ToolDecision.modify({ ...invocation.effectiveInput, b: 1 });
      case 'c':
        return ToolDecision.requiresConfirmation('sure?', { expiresInMs: 1, approvers: ['ann'] });
      case 'd':
        return ToolDecision.retryWithFeedback('again');
      case 'e':
        return ToolDecision.block('no');
      default:
        return ToolDecision.abstain();
    }
  }

  override postToolUse(_invocation: ToolInvocation, result: ToolResult) {
    return result.isError ? ToolResultDecision.keep() : ToolResultDecision.modify({ output: null });
  }

  override onOutgoingMessage(): undefined {}
}

const legal: AgentHooks = new Legal();

const literals = defineHooks<{ readonly tenant: string }>({
  name: 'literals',
  preToolUse: (_invocation, ctx) =>
    ctx.context.tenant === 'acme' ? { type: 'allow' } : { type: 'block', reason: 'other tenant' },
  onTurnStart: async () => ({ type: 'proceed' }),
  onUserMessage(message) {
    return message.text === '' ? MessageDecision.block('empty') : undefined;
  },
  onEvent: (event) => event.type === 'tool.called' && event.toolName,
});

class AllowAtTurnStart extends Policy {
  // @ts-expect-error Allow is a decision about a tool call
  override onTurnStart() {
    return ToolDecision.allow();
  }
}

class RetryAtRequest extends Policy {
  // @ts-expect-error a request cannot be answered with feedback
  override async preLlmRequest() {
    return ResponseDecision.retryWithFeedback('again');
  }
}

class BlockAfterTool extends Policy {
  // @ts-expect-error a call that ran cannot be blocked
  override postToolUse() {
    return ToolDecision.block('too late');
  }
}

class TrueAsDecision extends Policy {
  // @ts-expect-error a boolean is no decision about a tool
  override preToolUse() {
    return true;
  }
}

defineHooks({
  // @ts-expect-error 'deny' is no move
  preToolUse: () => ({ type: 'deny', reason: 'no' }),
});

defineHooks({
  // @ts-expect-error a block needs a reason
  preToolUse: () => ({ type: 'block' }),
});

defineHooks({
  // @ts-expect-error Proceed is not legal for a response
  onLlmResponse: () => ({ type: 'proceed' }),
});

defineHooks({
  // @ts-expect-error systemPrompt is synchronous
  systemPrompt: async (prompt) => prompt,
});

// @ts-expect-error a block needs a reason
ToolDecision.block();

// @ts-expect-error an input is an object
ToolDecision.modify([1]);

// @ts-expect-error only text and calls of a response can be changed
ResponseDecision.modify({ usage: { inputTokens: 0, outputTokens: 0 } });

// @ts-expect-error a misspelled option
ToolDecision.requiresConfirmation('sure?', { expiresIn: 1 });

const block = ToolDecision.block('no');
// @ts-expect-error decisions are read-only
block.reason = 'yes';

void [legal, literals, AllowAtTurnStart, RetryAtRequest, BlockAfterTool, TrueAsDecision];
