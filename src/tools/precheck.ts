import { ConfigError } from '../errors/config-error.ts';
import { ToolError } from '../errors/tool-error.ts';
import { isThenable } from '../internal/is-thenable.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { readOutput } from './check-output.ts';
import { describeIssues } from './describe-issues.ts';
import type { OutputPlan } from './output-plan.ts';
import { givingJson, hasFiles, type OutputWithFiles } from './output-port.ts';
import type { PrecheckContext, ToolPort } from './port.ts';
import { parseWith, type SchemaResult, type ToolSchema } from './schema.ts';

/** Throws `ConfigError` for what could not answer at once. */
export function refuseAsync(toolName: string, precheck: unknown): void {
  if (typeof precheck !== 'function') return;
  const kind = Object.prototype.toString.call(precheck);
  if (kind !== '[object AsyncFunction]' && !kind.includes('Generator')) return;
  throw new ConfigError('invalid-tool', {
    where: `tool '${toolName}'`,
    what: '`precheck` is a function that answers later',
    fix: 'Make it a plain function: look at what is known, and leave the rest to `execute`',
  });
}

/** The rule of a tool, as the loop asks it. */
export function prechecking<Context, State>(
  toolName: string,
  about: {
    readonly schema: ToolSchema;
    readonly output: OutputPlan | undefined;
    readonly precheck: (input: never, ctx: PrecheckContext<Context, State>) => unknown;
  },
): NonNullable<ToolPort<Context, State>['precheck']> {
  const { schema, output, precheck } = about;
  return givingJson((input: JsonObject, ctx: PrecheckContext<Context, State>) => {
    const ask = (result: SchemaResult<unknown>): MaybePromise<JsonValue | undefined> => {
      if (result.issues !== undefined) {
        const faults = describeIssues(result.issues, input);
        throw new ToolError(`the input of tool '${toolName}' does not fit: ${faults}`);
      }
      // Typed by the schema, which this value has just passed.
      const outcome = precheck(result.value as never, ctx);
      if (outcome === undefined || outcome === null) return undefined;
      refuseLater(toolName, outcome);
      const read = readOutput(toolName, output, outcome);
      return isThenable(read) ? read.then(withoutFiles) : withoutFiles(read);
    };
    const parsed = parseWith(schema, input);
    return isThenable(parsed) ? parsed.then(ask) : ask(parsed);
  });
}

/** A rule answers with an outcome; what a tool shows beside one, only a run has. */
function withoutFiles(read: JsonValue | OutputWithFiles): JsonValue {
  return hasFiles(read) ? read.output : read;
}

/** What answers later would hold up a rule that was to spare the wait. */
function refuseLater(toolName: string, outcome: unknown): void {
  if (!isThenable(outcome)) return;
  // Nobody waits for it, and it may reject.
  Promise.resolve(outcome).then(undefined, () => undefined);
  throw new TypeError(`the precheck of tool '${toolName}' gave a promise`);
}
