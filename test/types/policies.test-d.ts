/** Compiled, never run: each `@ts-expect-error` is a mistake that must not compile. */
import type { AgentHooks } from '../../src/hooks/agent-hooks.ts';
import type { HookContext } from '../../src/hooks/context.ts';
import { defineHooks, Policy } from '../../src/hooks/policy.ts';
import type { ChatRequest } from '../../src/protocol/chat.ts';
import type { ToolInvocation } from '../../src/protocol/tool.ts';

class Misspelled extends Policy {
  // @ts-expect-error there is no such hook to override
  override preTooluse(): undefined {}
}

class WrongPayload extends Policy {
  // @ts-expect-error a tool gate is given an invocation
  override preToolUse(request: ChatRequest): undefined {
    void request;
  }
}

// @ts-expect-error a misspelled key
defineHooks({ preToolUse: () => undefined, onLLMResponse: () => undefined });

// @ts-expect-error an option of no point
defineHooks({ onEvent: () => undefined, options: { preToolUSe: { timeoutMs: 1 } } });

// @ts-expect-error a misspelled option
defineHooks({ onEvent: () => undefined, options: { onEvent: { timeout: 1 } } });

// @ts-expect-error a pattern that matches no event
defineHooks({ onEvent: () => undefined, events: ['tools.*'] });

// @ts-expect-error an order that does not exist
defineHooks({ onEvent: () => undefined, order: 'middle' });

class ReadOnly extends Policy<{ readonly tenant: string }> {
  override preToolUse(
    invocation: ToolInvocation,
    ctx: HookContext<{ readonly tenant: string }>,
  ): undefined {
    // @ts-expect-error payloads are read-only
    invocation.toolName = 'other';
    // @ts-expect-error inputs are read-only
    invocation.effectiveInput['id'] = 1;
    // @ts-expect-error the context is read-only
    ctx.threadId = 'other';
    // @ts-expect-error the history is read-only
    ctx.messages.push({ role: 'system', content: 'x' });
    // @ts-expect-error memory holds JSON
    ctx.memory.set('k', () => 1);
    const tenant: string = ctx.context.tenant;
    void tenant;
  }
}

// A list of policies may hold policies for any context.
const list: readonly AgentHooks<never>[] = [
  new ReadOnly(),
  defineHooks({ onEvent: () => undefined }),
];

void [Misspelled, WrongPayload, list];
