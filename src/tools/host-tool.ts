import { ConfigError } from '../errors/config-error.ts';
import { ToolError } from '../errors/tool-error.ts';
import type { StateOf } from '../protocol/state-values.ts';
import { readOutput } from './check-output.ts';
import { FACT_ROOTS } from './lock-port.ts';
import { pathsOf } from './locked.ts';
import { planOutput } from './output-plan.ts';
import { givingJson } from './output-port.ts';
import type { SchemaInput, ToolSchema } from './schema.ts';
import { type Tool, type ToolOptions, type ToolReturn, tool } from './tool.ts';

/** How a tool is declared that the host runs: as any other, without what only the engine's own running needs. */
export type HostToolOptions<Input extends ToolSchema, Output extends ToolSchema> = Omit<
  ToolOptions<Input, Output, unknown>,
  'execute' | 'timeoutMs' | 'maxConcurrent' | 'parallel'
>;

/**
 * Declares a tool that the host runs itself, in its own time and in whatever process: a browser, a phone, a queue. Its
 * calls are checked, judged and approved like any others; then the run ends with `awaiting-tools`, which lists them,
 * and goes on when `agent.submitToolResults` brings what came of each. Locked arguments are part of the input that the
 * host is given, and are filled when the calls are listed, where they are what was judged; they cannot be facts of a run. Throws `ConfigError` for a faulty declaration.
 *
 * @example
 * const pickFile = hostTool({
 *   name: 'pick_file',
 *   description: 'Lets the user pick a file',
 *   inputSchema: z.object({ kind: z.enum(['image', 'pdf']) }),
 *   outputSchema: z.object({ name: z.string() }),
 *   sideEffects: 'none',
 * });
 */
export function hostTool<Input extends ToolSchema, Output extends ToolSchema>(
  options: HostToolOptions<Input, Output>,
): Tool<SchemaInput<Input>, unknown, StateOf<unknown>> {
  refuseRunning(options);
  const execute = (): ToolReturn<Output> => {
    throw new ToolError('the host of this agent runs this tool, and nothing here can');
  };
  const declared = tool<Input, Output>({ ...options, execute });
  const { name, outputSchema } = options;
  refuseFacts(name, declared);
  const plan = outputSchema === undefined ? undefined : planOutput(name, outputSchema);
  return Object.freeze({
    ...declared,
    // They are all handed out at once: in which order they run is the host's to choose.
    parallel: true,
    readResult: givingJson((output: unknown) => readOutput(name, plan, output)),
  });
}

/** The call is listed by whichever run looks at it, and what that knows of its session need not be what was judged. */
function refuseFacts(name: string, { locks }: Pick<Tool, 'locks'>): void {
  for (const lock of locks?.locks ?? []) {
    const path = pathsOf(lock.source).find(([root]) => FACT_ROOTS.includes(root));
    if (path === undefined) continue;
    throw new ConfigError('invalid-tool', {
      where: `tool '${name}': locked.${lock.name.slice(0, 80)}`,
      what: `'{{${path.join('.').slice(0, 80)}}}' is a fact of a run, and another run may hand the call to the host`,
      fix: 'Lock it to a field of the state; the host knows its own session',
    });
  }
}

const ENGINE_ONLY = ['execute', 'timeoutMs', 'maxConcurrent', 'parallel', 'interruption'];

function refuseRunning(options: unknown): void {
  // What is no object at all is told of where any tool is checked.
  if (typeof options !== 'object' || options === null) return;
  const stray = ENGINE_ONLY.find((option) => Object.hasOwn(options, option));
  if (stray === undefined) return;
  const name: unknown = Reflect.get(options, 'name');
  throw new ConfigError('invalid-tool', {
    where: typeof name === 'string' ? `tool '${name.slice(0, 80)}'` : 'hostTool()',
    what: `\`${stray}\` is for a tool that the engine runs, and the host runs this one`,
    fix: `Leave \`${stray}\` out, or declare it with \`tool\``,
  });
}
