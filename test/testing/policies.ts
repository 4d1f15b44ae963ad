import * as z from 'zod';
import { ToolDecision } from '../../src/decisions/tool-decision.ts';
import type { HookContext } from '../../src/hooks/context.ts';
import { Policy } from '../../src/hooks/policy.ts';
import type { ToolInvocation } from '../../src/protocol/tool.ts';
import { tool } from '../../src/tools/tool.ts';

export const refund = tool({
  name: 'refund',
  displayName: 'Refund',
  description: 'Gives money back',
  inputSchema: z.object({ amount: z.number().max(1000), note: z.string().optional() }),
  execute: ({ amount }) => ({ refunded: amount }),
});

export const getOrder = tool({
  name: 'get_order',
  description: 'Looks an order up',
  inputSchema: z.object({ id: z.number() }),
  sideEffects: 'none',
  execute: ({ id }) => ({ id, total: 30 }),
});

/** Small refunds run, those above 100 need a manager, those above 500 never run. */
export class RefundLimit extends Policy {
  override preToolUse(invocation: ToolInvocation): ToolDecision | undefined {
    if (!refund.matches(invocation)) return undefined;
    const { amount } = invocation.effectiveInput;
    if (amount > 500) return ToolDecision.block('refunds end at 500');
    if (amount > 100) return ToolDecision.requiresConfirmation(`Refund ${amount}?`);
    return ToolDecision.allow();
  }
}

export interface App {
  readonly tenant: string;
}

/** Lets a tenant call one tool three times a thread. */
export class ThreeCalls extends Policy<App> {
  override readonly name = 'three-calls';

  override preToolUse(invocation: ToolInvocation, ctx: HookContext<App>): ToolDecision | undefined {
    const key = `${ctx.context.tenant}.${invocation.toolName}`;
    const calls = Number(ctx.memory.get(key) ?? 0) + 1;
    ctx.memory.set(key, calls);
    return calls > 3 ? ToolDecision.block(`${calls} calls`) : undefined;
  }
}

/** An answer that no type allows. */
export function illegal(value: unknown): never {
  // Tests stand in for policies written without types.
  return value as never;
}
