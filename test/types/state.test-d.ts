import {
  createAgent,
  defineHooks,
  type HookContext,
  type JsonValue,
  Policy,
  type RunResult,
  type StateValues,
  scriptedModel,
  shadow,
  type ToolContext,
  type ToolInvocation,
  tool,
} from 'agent-hooks';
import { expectTypeOf } from 'vitest';
import * as z from 'zod';

interface App {
  readonly tenant: string;
}

const stateSchema = z.object({
  day: z.string().optional(),
  visits: z.number().default(0),
  customer: z.object({ name: z.string(), vip: z.boolean() }).nullable().default(null),
});
type State = z.infer<typeof stateSchema>;

const model = scriptedModel([]);
const inputSchema = z.object({});
const description = 'Does something';

const plain = tool({ name: 'plain', description, inputSchema, execute: () => null });
const untyped = tool({
  name: 'untyped',
  description,
  inputSchema,
  execute: (_input, ctx) => {
    expectTypeOf(ctx.state.get('day')).toEqualTypeOf<JsonValue | undefined>();
    ctx.state.set('day', 'monday');
    return null;
  },
});
const typed = tool({
  name: 'typed',
  description,
  inputSchema,
  execute: (_input, ctx: ToolContext<App, State>) => {
    expectTypeOf(ctx.context.tenant).toEqualTypeOf<string>();
    expectTypeOf(ctx.state.get('day')).toEqualTypeOf<string | undefined>();
    expectTypeOf(ctx.state.get('visits')).toEqualTypeOf<number>();
    ctx.state.set('day', 'monday');
    ctx.state.set('day', undefined);
    // @ts-expect-error: no field of this name
    ctx.state.get('dya');
    // @ts-expect-error: a number there
    ctx.state.set('visits', 'three');
    // @ts-expect-error: a field with a default is never unset for its readers
    ctx.state.set('visits', undefined);
    return ctx.state.get('customer')?.vip ?? false;
  },
});
const stateOnly = tool({
  name: 'state_only',
  description,
  inputSchema,
  execute: (_input, ctx: ToolContext<unknown, State>) => ctx.state.get('visits'),
});

class OnlyVips extends Policy<App, State> {
  override preToolUse(_invocation: ToolInvocation, ctx: HookContext<App, State>) {
    expectTypeOf(ctx.state.visits).toEqualTypeOf<number>();
    // @ts-expect-error: policies read
    ctx.state.visits = 3;
    return undefined;
  }
}
const reads = defineHooks<unknown, State>({
  preToolUse: (_invocation, ctx) => void ctx.state.day?.toUpperCase(),
});
const readsAny = defineHooks({
  preToolUse: (_invocation, ctx) => {
    expectTypeOf(ctx.state['day']).toEqualTypeOf<JsonValue | undefined>();
  },
});

const agent = createAgent({
  name: 'a',
  model,
  stateSchema,
  tools: [plain, untyped, stateOnly],
  hooks: [reads, readsAny, shadow(readsAny)],
});
void agent.run({ message: 'x' });
void agent.run({ message: 'x', state: { visits: 3, day: undefined } });
void agent.runStep({ threadId: 't', message: 'x', state: { customer: null } });
// @ts-expect-error: a number there
void agent.run({ message: 'x', state: { visits: 'three' } });
// @ts-expect-error: no field of this name
void agent.stream({ message: 'x', state: { dya: 'monday' } });

const result = await agent.run({ message: 'x' });
expectTypeOf(result.state?.visits).toEqualTypeOf<number | undefined>();
if (result.status === 'completed') {
  expectTypeOf(result.text).toEqualTypeOf<string>();
  expectTypeOf(result.state).toExtend<State>();
}
if (result.status === 'blocked') expectTypeOf(result.state.visits).toEqualTypeOf<number>();
// @ts-expect-error: a run that could not read its thread has no state
if (result.status === 'failed') void result.state.visits;
const structured = await agent.run({ message: 'x', output: z.object({ topic: z.string() }) });
if (structured.status === 'completed') {
  expectTypeOf(structured.output.topic).toEqualTypeOf<string>();
  expectTypeOf(structured.state.visits).toEqualTypeOf<number>();
}
expectTypeOf(result).toExtend<RunResult>();
expectTypeOf(structured).toExtend<RunResult<{ topic: string }>>();
expectTypeOf((await agent.stream({ message: 'x' }).result).state?.day).toEqualTypeOf<
  string | undefined
>();

/** With a context that is named, the state is named too. */
const both = createAgent<App, State>({
  name: 'a',
  model,
  stateSchema,
  tools: [typed, stateOnly, plain],
  hooks: [new OnlyVips(), reads, readsAny],
});
void both.run({ message: 'x', context: { tenant: 'a' }, state: { day: 'monday' } });
// @ts-expect-error: a run has to bring the context
void both.run({ message: 'x', state: { day: 'monday' } });

/** Named without its type, it holds any fields. */
const loose = createAgent<App>({ name: 'a', model, stateSchema, tools: [plain, untyped] });
void loose.run({ message: 'x', context: { tenant: 'a' }, state: { anything: 3 } });
const looseResult = await loose.run({ message: 'x', context: { tenant: 'a' } });
expectTypeOf(looseResult.state).toEqualTypeOf<StateValues | undefined>();

// @ts-expect-error: a tool of a typed state needs an agent that has it
void createAgent({ name: 'a', model, tools: [stateOnly] });
const otherSchema = z.object({ visits: z.string().default('') });
// @ts-expect-error: and not another one
void createAgent({ name: 'a', model, stateSchema: otherSchema, tools: [stateOnly] });
// @ts-expect-error: nor does a policy of another state fit
void createAgent({ name: 'a', model, stateSchema: otherSchema, hooks: [reads] });
// @ts-expect-error: a field that is no JSON
void createAgent({ name: 'a', model, stateSchema: z.object({ at: z.date().optional() }) });
