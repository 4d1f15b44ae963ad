import { expect, expectTypeOf } from 'vitest';
import type { MessageDecision } from '../../src/decisions/message-decision.ts';
import { ToolDecision } from '../../src/decisions/tool-decision.ts';
import type { AgentHooks } from '../../src/hooks/agent-hooks.ts';
import type { HookContext } from '../../src/hooks/context.ts';
import { Policy } from '../../src/hooks/policy.ts';
import type { ChatRequest } from '../../src/protocol/chat.ts';
import type { ToolInvocation, ToolResult } from '../../src/protocol/tool.ts';
import {
  ask,
  assertAnswer,
  called,
  chatParts,
  chatRequest,
  incomingText,
  toolInvocation,
} from '../../src/testing/index.ts';
import { type App, getOrder, RefundLimit, refund, ThreeCalls } from './policies.ts';
import '../../src/testing/vitest.ts';

declare const call: ToolInvocation;
declare const result: ToolResult;
const context: App = { tenant: 'acme' };

// A policy is asked only where it answers.
expectTypeOf<keyof ReturnType<typeof ask<RefundLimit>>>().toEqualTypeOf<'preToolUse'>();
// @ts-expect-error it does not implement this point
ask(new RefundLimit()).onUserMessage(incomingText('hi'));
// @ts-expect-error the payload of another point
ask(new RefundLimit()).preToolUse(incomingText('hi'));
// @ts-expect-error not a policy
ask('RefundLimit');
// @ts-expect-error misspelled option
ask(new RefundLimit()).preToolUse(call, { message: [] });

// The answer is that of the point.
const answer = await ask(new RefundLimit()).preToolUse(call);
if (answer.type === 'decided') {
  expectTypeOf(answer.decision).toEqualTypeOf<ToolDecision>();
  expectTypeOf(answer.value).toEqualTypeOf<ToolInvocation>();
}
// @ts-expect-error a failure has no decision
answer.type === 'failed' && answer.decision;

// A typed context has to be given, where the method reads it.
ask(new ThreeCalls()).preToolUse(call, { context });
// @ts-expect-error the context is missing
ask(new ThreeCalls()).preToolUse(call);
// @ts-expect-error the context of another app
ask(new ThreeCalls()).preToolUse(call, { context: { tenant: 1 } });

class Mixed extends Policy<App> {
  override preToolUse(): ToolDecision {
    return ToolDecision.allow();
  }
  override async postToolUse(
    _call: ToolInvocation,
    _result: ToolResult,
    _ctx: HookContext<App>,
  ): Promise<undefined> {}
  override onEvent(): void {}
}
ask(new Mixed()).preToolUse(call);
ask(new Mixed()).postToolUse(call, result, { context });
// @ts-expect-error the result is missing
ask(new Mixed()).postToolUse(call, { context });
// @ts-expect-error an event is not answered with a decision
ask(new Mixed()).onEvent;

// A literal implements what it holds; a type that does not say what is implemented lets everything be asked.
ask({ preToolUse: () => ToolDecision.allow() }).preToolUse(call);
// @ts-expect-error the literal does not implement this point
ask({ preToolUse: () => ToolDecision.allow() }).onUserMessage(incomingText('hi'));
declare const any: AgentHooks;
const open = await ask(any).onUserMessage(incomingText('hi'));
if (open.type === 'decided') expectTypeOf(open.decision).toEqualTypeOf<MessageDecision>();
declare const app: AgentHooks<App>;
// @ts-expect-error its context is typed
ask(app).preToolUse(call);

// Around a call, what is below is given, and what came out and what it was called with is told.
declare const text: AgentHooks;
const wrapped = await ask(text).wrapToolUse(call, async () => result);
expectTypeOf(wrapped.calls).toEqualTypeOf<readonly ToolInvocation[]>();
if (wrapped.type === 'answered') expectTypeOf(wrapped.result).toEqualTypeOf<ToolResult>();
// @ts-expect-error one that was cancelled has no result
wrapped.type === 'cancelled' && wrapped.result;
// @ts-expect-error the tool is missing
ask(text).wrapToolUse(call);
// @ts-expect-error a tool gives a result
ask(text).wrapToolUse(call, () => 'paid');
// @ts-expect-error nobody is asked around a call once more for a verdict
ask(text).wrapToolUse(call, () => result, { recheck: true });
const around = await ask(text).wrapLlmCall(chatRequest([]), () => chatParts('hi'));
expectTypeOf(around.calls).toEqualTypeOf<readonly ChatRequest[]>();
expectTypeOf(around.text).toEqualTypeOf<string>();
// @ts-expect-error a failure of the model is told of as it was thrown
around.type === 'model-failed' && around.error.message;
const prompted = await ask(text).systemPrompt('Be kind.', { purpose: 'judge', model: 'small' });
if (prompted.type === 'answered') expectTypeOf(prompted.value).toEqualTypeOf<string>();
// @ts-expect-error a prompt is not shown with a history
ask(text).systemPrompt('Be kind.', { messages: [] });

// The input of a tool is typed.
toolInvocation(refund, { amount: 5 });
called(getOrder, { id: 7 }, { total: 30 });
// @ts-expect-error not an input of the tool
toolInvocation(refund, { amount: 'five' });
// @ts-expect-error not an input of the tool
called(getOrder, { id: '7' }, { total: 30 });
// @ts-expect-error the engine's own fields follow from the tool
toolInvocation(refund, { amount: 5 }, { toolName: 'other' });

// Matchers and assertions take only what they can compare.
expect(answer).toBlock(/x/);
expectTypeOf(expect(answer).toBlock('x')).toEqualTypeOf<void>();
expectTypeOf(expect(Promise.resolve(answer)).resolves.toBlock()).toEqualTypeOf<Promise<void>>();
// @ts-expect-error a reason is a text
expect(answer).toBlock(5);
// @ts-expect-error an unknown kind of failure
expect(answer).toFail('crashed');
// @ts-expect-error an allow has no reason
expect(answer).toAllow('x');
assertAnswer(answer, 'fail', 'threw');
// @ts-expect-error an unknown expectation
assertAnswer(answer, 'deny');
// @ts-expect-error an allow has no reason
assertAnswer(answer, 'allow', 'x');
