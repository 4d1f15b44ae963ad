import {
  createAgent,
  defineHooks,
  type HookContext,
  Policy,
  scriptedModel,
  type ToolContext,
  type ToolInvocation,
  tool,
} from 'agent-hooks';
import * as z from 'zod';

interface App {
  readonly tenant: string;
}

const needsApp = tool({
  name: 'needs_app',
  description: 'Needs the context of the app',
  inputSchema: z.object({}),
  execute: (_input, ctx: ToolContext<App>) => ctx.context.tenant,
});
const needsNothing = tool({
  name: 'needs_nothing',
  description: 'Needs nothing',
  inputSchema: z.object({ text: z.string() }),
  execute: ({ text }) => text,
});

class OneTenant extends Policy<App> {
  override preToolUse(_invocation: ToolInvocation, ctx: HookContext<App>) {
    void ctx.context.tenant;
    return undefined;
  }
}

const anyApp = defineHooks({ preToolUse: () => undefined });
const model = scriptedModel([]);

const agent = createAgent<App>({
  name: 'a',
  model,
  tools: [needsApp, needsNothing],
  hooks: [new OneTenant(), anyApp],
});
void agent.run({ message: 'x', context: { tenant: 'a' } });
// @ts-expect-error: a run has to bring the context
void agent.run({ message: 'x' });
// @ts-expect-error: so has whoever resumes
void agent.resume({ threadId: 'x' });
// @ts-expect-error: of the right type
void agent.run({ message: 'x', context: { tenant: 7 } });

const free = createAgent({ name: 'a', model, tools: [needsNothing], hooks: [anyApp] });
void free.run({ message: 'x' });
void free.run({ message: 'x', context: 5 });

// @ts-expect-error: a tool that needs a context has to be in an agent that names it
void createAgent({ name: 'a', model, tools: [needsApp] });
// @ts-expect-error: and not another one
void createAgent<{ readonly other: string }>({ name: 'a', model, tools: [needsApp] });
