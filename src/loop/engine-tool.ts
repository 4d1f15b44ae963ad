import type { EventBody } from '../events/event.ts';
import type { HookGate, Moment } from '../hooks/gate.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { OutputWithFiles } from '../tools/output-port.ts';
import type { ToolContext, ToolPort } from '../tools/port.ts';

/** What a tool of the engine's own may use of the run around it, while its call runs. */
export interface Engine {
  /** The policies of the turn. A method is only called where `has` says that somebody implements the point. */
  readonly gate: HookGate;
  readonly moment: Moment;
  /** Takes an event into the record of the run. Nobody hears it once the call has its result. */
  readonly record: (body: EventBody) => void;
}

/** A tool that is part of the engine. To policies and models it is a tool like any other; it fits every agent. */
export interface EngineTool extends ToolPort {
  /** Called in the place of `run`; the same rules hold. */
  readonly runInEngine: (
    input: JsonObject,
    ctx: ToolContext,
    engine: Engine,
  ) => MaybePromise<JsonValue | OutputWithFiles>;
}

/** Registered, so that the builds for `import` and `require` know each other's; a copy with changes stays one. */
const ENGINE_TOOL: symbol = Symbol.for('agent-hooks.engine-tool');

/** Makes a tool the engine's own: only one that went through here is ever handed the engine. */
export function engineTool<Tool extends EngineTool>(tool: Tool): Tool {
  return Object.freeze({ ...tool, [ENGINE_TOOL]: true });
}

export function isEngineTool(tool: ToolPort<never>): tool is EngineTool {
  return ENGINE_TOOL in tool;
}
