/** Compiled, never run: each `@ts-expect-error` is a mistake that must not compile. */
import {
  type AgentHooks,
  compose,
  createAgent,
  defineHooks,
  failOpen,
  forTools,
  type HookCondition,
  type HookContext,
  Policy,
  parallel,
  scriptedModel,
  shadow,
  type ToolInvocation,
  when,
  withTimeout,
} from 'agent-hooks';

interface App {
  readonly tenant: string;
}
interface Desk {
  readonly desk: number;
}

class OneTenant extends Policy<App> {
  override preToolUse(_invocation: ToolInvocation, ctx: HookContext<App>) {
    void ctx.context.tenant;
    return undefined;
  }
}
class OneDesk extends Policy<Desk> {
  override preToolUse(_invocation: ToolInvocation, ctx: HookContext<Desk>) {
    void ctx.context.desk;
    return undefined;
  }
}

const anyApp = defineHooks({ preToolUse: () => undefined });
const model = scriptedModel([]);
type Same<A, B> = [A, B] extends [B, A] ? true : false;
function isExactly<Expected>() {
  return <Actual>(_value: Actual, ..._same: Same<Expected, Actual> extends true ? [] : [never]) =>
    undefined;
}

// What the policies need is what the whole needs, whatever it is made by.
isExactly<AgentHooks<App>>()(compose(new OneTenant(), anyApp));
isExactly<AgentHooks<App>>()(compose('group', anyApp, new OneTenant()));
isExactly<AgentHooks<App & Desk>>()(parallel(new OneTenant(), new OneDesk()));
isExactly<AgentHooks<App>>()(shadow(new OneTenant()));
isExactly<AgentHooks<App>>()(failOpen(withTimeout(forTools(['a'], new OneTenant()), 5)));
isExactly<AgentHooks<App>>()(when(({ context }) => context.tenant === 'a', new OneTenant()));
isExactly<AgentHooks<App & Desk>>()(
  when(({ context }: HookContext<Desk>) => context.desk === 1, new OneTenant()),
);
isExactly<AgentHooks>()(compose(anyApp, { onEvent: () => undefined }));

const both = createAgent({ name: 'a', model, hooks: [compose(new OneTenant(), new OneDesk())] });
void both.run({ message: 'x', context: { tenant: 'a', desk: 1 } });
// @ts-expect-error: both policies need their part of the context
void both.run({ message: 'x', context: { tenant: 'a' } });
// @ts-expect-error: a run has to bring it
void both.run({ message: 'x' });

// @ts-expect-error: an agent of another app
void createAgent<Desk>({ name: 'a', model, hooks: [shadow(new OneTenant())] });

// The payload is known once the point is.
const condition: HookCondition<App> = (ctx, { point, payload }) => {
  if (point === 'preToolUse') return payload.toolName === ctx.context.tenant;
  if (point === 'onOutgoingMessage') return payload.isFinal;
  // @ts-expect-error: no other payload has the name of a tool
  return payload.toolName === '';
};
void condition;

// @ts-expect-error: a condition that forgets to answer
when(() => undefined, anyApp);
// @ts-expect-error: a class in the place of an instance
compose(OneTenant);
// @ts-expect-error: patterns are a list
forTools('refund', anyApp);
// @ts-expect-error: a misspelled option
forTools(['refund'], anyApp, { olny: true });
// @ts-expect-error: a limit is a number
withTimeout(anyApp, '5');
