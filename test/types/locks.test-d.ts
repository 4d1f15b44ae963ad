/** Compiled, never run: each `@ts-expect-error` is a mistake that must not compile. */
import { type PrecheckContext, type ToolContext, tool, transcript } from 'agent-hooks';
import * as z from 'zod';

interface App {
  readonly tenant: string;
}
interface State extends Record<string, string | undefined> {
  readonly day?: string;
}

const inputSchema = z.object({
  id: z.string(),
  day: z.iso.date().transform((text) => new Date(text)),
});
const outputSchema = z.object({ status: z.enum(['booked', 'past_day']) });

/** What the engine fills in is typed as the rest, and an outcome as a result. */
tool({
  name: 'book',
  inputSchema,
  outputSchema,
  locked: { id: '{{customer.id}}', day: transcript() },
  precheck: ({ id, day }, ctx: PrecheckContext<App, State>) => {
    void ctx.context.tenant;
    void ctx.state.get('day');
    // @ts-expect-error: it changes nothing
    void ctx.state.set;
    return day.getTime() < 0 && id !== '' ? { status: 'past_day' } : null;
  },
  execute: ({ id }, ctx: ToolContext<App, State>) => {
    void ctx.context.tenant;
    return { status: id === '' ? 'past_day' : 'booked' };
  },
});

tool({
  name: 'book',
  inputSchema,
  // @ts-expect-error: the input has no such argument
  locked: { custmer_id: 'x' },
  execute: () => ({}),
});

tool({
  name: 'book',
  inputSchema,
  outputSchema,
  // @ts-expect-error: an outcome is a result
  precheck: () => ({ status: 'nope' }),
  execute: () => ({ status: 'booked' }),
});

tool({
  name: 'book',
  inputSchema,
  outputSchema,
  // @ts-expect-error: it answers at once
  precheck: async () => ({ status: 'past_day' }),
  execute: () => ({ status: 'booked' }),
});

/** A rule that only objects sometimes, and one that never does. */
tool({
  name: 'book',
  inputSchema,
  outputSchema,
  precheck: ({ day }) => {
    if (day.getTime() < 0) return { status: 'past_day' };
    return undefined;
  },
  execute: () => ({ status: 'booked' }),
});
tool({ name: 'book', inputSchema, precheck: () => {}, execute: () => 1 });
