import { expectTypeOf } from 'vitest';
import * as z from 'zod';
import type { ToolInvocation } from '../../src/protocol/tool.ts';
import { Accepted, Done } from '../../src/tools/done.ts';
import { toolFormats } from '../../src/tools/formats.ts';
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

const sized = {
  name: 'x',
  inputSchema: z.object({ body: z.string() }),
  outputSchema: z.object({ id: z.string(), pin: z.string().default('0') }),
  execute: () => ({ id: 'A' }),
};
tool({ ...sized, hidden: ['pin'], allowBlank: ['body'], showResult: false });
// @ts-expect-error no field of the result
tool({ ...sized, hidden: ['pni'] });
// @ts-expect-error no argument
tool({ ...sized, allowBlank: ['boddy'] });
// @ts-expect-error without a schema nothing is known that could be hidden
tool({ name: 'x', inputSchema: z.object({}), hidden: ['pin'], execute: () => ({ pin: '0' }) });

const nothing = { name: 'x', inputSchema: z.object({}) };
tool({ ...nothing, outputSchema: Done, execute: () => undefined });
tool({ ...nothing, outputSchema: Done, execute: async () => {} });
tool({ ...nothing, outputSchema: Done, execute: () => ({ ok: true }) });
tool({ ...nothing, outputSchema: Accepted, execute: () => ({ ok: true, accepted: true }) });
// @ts-expect-error only for Done nothing is enough
tool({ ...nothing, outputSchema: Accepted, execute: () => {} });
// @ts-expect-error Accepted says both
tool({ ...nothing, outputSchema: Accepted, execute: () => ({ ok: true }) });

tool({
  name: 'day',
  inputSchema: z.object({ on: toolFormats.date(), at: toolFormats.time() }),
  outputSchema: z.object({ on: toolFormats.date() }),
  execute: ({ on, at }) => {
    expectTypeOf(on).toEqualTypeOf<Date>();
    expectTypeOf(at).toEqualTypeOf<string>();
    // The wire form, as the schema reads it.
    return { on: '2026-10-16' };
  },
});

const choice = {
  name: 'x',
  inputSchema: z.object({ q: z.string() }),
  outputSchema: z.object({ s: z.enum(['a', 'b']), d: z.string().default('x') }),
};
tool({ ...choice, execute: () => ({ s: 'a' }) });
tool({ ...choice, execute: async ({ q }) => ({ s: q === 'x' ? 'a' : 'b' }) });
// @ts-expect-error not one of the words
tool({ ...choice, execute: () => ({ s: 'c' }) });
// @ts-expect-error a field is missing
tool({ ...choice, execute: async () => ({ d: 'y' }) });
// @ts-expect-error only for Done nothing is enough
tool({ ...choice, execute: () => {} });

const saving = { ...wrong, outputSchema: z.object({ id: z.string() }) };
tool({
  ...saving,
  assign: [{ field: 'order', path: ['id'] }],
  execute: (_input, _ctx: ToolContext<App, { order?: string }>) => ({ id: 'x' }),
});
tool({
  ...saving,
  // @ts-expect-error no field of the state that the tool is typed with
  assign: [{ field: 'ordr', path: ['id'] }],
  execute: (_input, _ctx: ToolContext<App, { order?: string }>) => ({ id: 'x' }),
});
// @ts-expect-error a line of a tool does not name it
tool({ ...saving, replies: [{ tool: 'x', say: 'Done.' }], execute: () => ({ id: 'x' }) });
