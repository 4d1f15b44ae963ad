import { expect, expectTypeOf } from 'vitest';
import type { MessageDecision } from '../../src/decisions/message-decision.ts';
import { ToolDecision } from '../../src/decisions/tool-decision.ts';
import type { AgentHooks } from '../../src/hooks/agent-hooks.ts';
import type { HookContext } from '../../src/hooks/context.ts';
import { Policy } from '../../src/hooks/policy.ts';
import type { ToolInvocation, ToolResult } from '../../src/protocol/tool.ts';
import {
  ask,
  assertAnswer,
  called,
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
