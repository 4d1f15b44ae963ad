import type { JsonObject } from '../protocol/json.ts';
import type { Placeholder } from '../protocol/template.ts';

/** What code says to the user before a tool runs. */
export interface AnnounceRule {
  /** They take turns. At least one, and none blank. */
  readonly lines: readonly string[];
  /** True when the tool runs only after the host has shown the line. */
  readonly waits: boolean;
  /** What the arguments are that a line may name: the whole JSON Schema of the input. */
  readonly inputSchema: JsonObject;
  /** What is named that is no argument: whether it is there, the agent says. */
  readonly names: readonly Placeholder[];
}
