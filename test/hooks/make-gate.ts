import type { EventBody, EventOf } from '../../src/events/event.ts';
import type { AgentHooks } from '../../src/hooks/agent-hooks.ts';
import { bindHooks } from '../../src/hooks/bind.ts';
import { compileHooks } from '../../src/hooks/compile.ts';
import type { GatePorts, HookGate, Moment, RunFacts } from '../../src/hooks/gate.ts';
import { CancelScope } from '../../src/internal/cancel-scope.ts';
import { deepFreeze } from '../../src/internal/deep-freeze.ts';
import type { ChatRequest, ChatResponse } from '../../src/protocol/chat.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { AssistantPart } from '../../src/protocol/message.ts';
import { chatResponse } from '../../src/protocol/read-content.ts';
import type { ToolInvocation } from '../../src/protocol/tool.ts';

/** A gate as a run has it, with everything it recorded and wrote. */
export interface Bench {
  readonly gate: HookGate;
  readonly cancel: CancelScope;
  readonly recorded: EventBody[];
  readonly memory: Map<string, JsonObject>;
  /** What `digest` was asked for. */
  readonly digested: unknown[];
  decided(): readonly string[];
  failures(): readonly EventOf<'hook.failed'>[];
}

const FACTS: RunFacts = {
  threadId: 'thread-1',
  turnId: 'turn-1',
  agentPath: [],
  model: 'test-model',
  sender: { id: 'user-1' },
  channel: 'chat',
  session: null,
  context: { tenant: 'acme' },
};

/** What a test takes a verdict as. */
export const asIs = <Verdict>(verdict: Verdict): Verdict => verdict;

export const NOW: Moment = { step: 1, attempt: 1, purpose: 'main' };

export function bench(hooks: readonly AgentHooks<never>[], ports: Partial<GatePorts> = {}): Bench {
  const recorded: EventBody[] = [];
  const digested: unknown[] = [];
  const memory = new Map<string, JsonObject>();
  const cancel = new CancelScope();
  const gate = bindHooks(compileHooks(hooks, 'default'), FACTS, {
    now: () => performance.now(),
    record: (body) => recorded.push(body),
    digest: (point, payload) => `hmac-${point}-${digested.push(payload)}`,
    messages: () => [],
    state: () => ({}),
    counters: { increment: () => 1, read: () => 0 },
    memory: {
      read: (policy) => memory.get(policy) ?? {},
      write: (policy, value) => memory.set(policy, value),
    },
    cancel,
    ...ports,
  });
  return {
    gate,
    cancel,
    recorded,
    memory,
    digested,
    decided: () =>
      recorded.flatMap((body) =>
        body.type === 'hook.decided'
          ? [`${body.policy} ${body.decision}${body.recheck === true ? ' again' : ''}`]
          : [],
      ),
    // The filter leaves only this type; the stamp is not there, and no test reads it.
    failures: () =>
      recorded.filter((body) => body.type === 'hook.failed') as EventOf<'hook.failed'>[],
  };
}

export function request(overrides: Partial<ChatRequest> = {}): ChatRequest {
  return deepFreeze({
    messages: [
      { role: 'system', content: 'You are a clerk.' },
      { role: 'user', content: [{ type: 'text', text: 'hello' }] },
    ],
    settings: {},
    tools: [{ name: 'lookup', description: 'Looks up', inputSchema: { type: 'object' } }],
    ...overrides,
  });
}

export function response(
  content: readonly AssistantPart[],
  finishReason: ChatResponse['finishReason'] = 'stop',
): ChatResponse {
  return chatResponse({
    id: 'response-1',
    model: 'test-model',
    content,
    finishReason,
    usage: { inputTokens: 1, outputTokens: 1 },
    latencyMs: 1,
  });
}

export function invocation(input: JsonObject = { id: 1 }): ToolInvocation {
  return deepFreeze({
    callId: '1.1.0',
    providerCallId: 'call_1',
    toolName: 'refund',
    displayName: 'Refund',
    tier: 'auto',
    sideEffects: 'once',
    requestedInput: input,
    effectiveInput: input,
    batch: { index: 0, size: 1 },
  });
}

/** A schema that lets everything through. */
export const acceptAll = (input: unknown): { readonly input: JsonObject } => ({
  // The codec lets only objects be an input.
  input: input as JsonObject,
});

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** An answer that no type allows. */
export function illegal(value: unknown): never {
  // Tests stand in for policies written without types.
  return value as never;
}
