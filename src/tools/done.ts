import * as z from 'zod';

/** The result of a tool that has nothing to give back: `{ "ok": true }`. `execute` may then return nothing at all. */
export const Done: z.ZodObject<{ ok: z.ZodDefault<z.ZodLiteral<true>> }> = z.object({
  ok: z.literal(true).default(true),
});

/** The result of work that goes on elsewhere, of which nobody waits for the end: `{ "ok": true, "accepted": true }`. */
export const Accepted: z.ZodObject<{ ok: z.ZodLiteral<true>; accepted: z.ZodLiteral<true> }> =
  z.object({ ok: z.literal(true), accepted: z.literal(true) });
