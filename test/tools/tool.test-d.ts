import { expectTypeOf } from 'vitest';
import * as z from 'zod';
import type { ToolInvocation } from '../../src/protocol/tool.ts';
import type { ToolContext, ToolPort } from '../../src/tools/port.ts';
import { tool } from '../../src/tools/tool.ts';

interface App {
  readonly user: string;
}

const refund = tool({
  name: 'refund',
  description: 'Gives money back',
  inputSchema: z.object({
    orderId: z.string(),
    amount: z.number().default(1),
    note: z.string().optional(),
  }),
  execute: (input, ctx: ToolContext<App>) => {
    expectTypeOf(input.amount).toEqualTypeOf<number>();
    expectTypeOf(ctx.context.user).toEqualTypeOf<string>();
    return { done: true };
  },
});

const day = tool({
  name: 'day',
  description: 'Names a day',
  inputSchema: z.object({ at: z.string().transform((text) => new Date(text)) }),
  outputSchema: z.object({ name: z.string() }),
  async execute({ at }) {
    expectTypeOf(at).toEqualTypeOf<Date>();
    return { name: at.toISOString() };
  },
});

/** Tools of different inputs and contexts live in one list. */
export const tools: readonly ToolPort<App>[] = [refund, day];

declare const invocation: ToolInvocation;
if (refund.matches(invocation)) {
  expectTypeOf(invocation.effectiveInput.orderId).toExtend<string>();
  expectTypeOf(invocation.requestedInput.amount).toExtend<number | undefined>();
}
if (day.matches(invocation)) expectTypeOf(invocation.effectiveInput.at).toExtend<string>();

const wrong = { name: 'x', description: 'x', inputSchema: z.object({}) };
// @ts-expect-error the output does not fit its schema
tool({ ...wrong, outputSchema: z.object({ n: z.number() }), execute: () => ({ n: 'x' }) });
// @ts-expect-error misspelled option
tool({ ...wrong, execute: () => null, sideEffect: 'none' });
// @ts-expect-error not one of the three
tool({ ...wrong, execute: () => null, sideEffects: 'maybe' });
// @ts-expect-error the context of the app is not the one the tool needs
export const other: Parameters<typeof refund.run>[1] = {} as ToolContext<{
  readonly other: string;
}>;
