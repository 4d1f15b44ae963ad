import { FINAL_ANSWER } from '../tools/answer-port.ts';
import type { ToolPort } from '../tools/port.ts';
import type { Session } from './session.ts';

/** A tool of the agent, or the one through which a turn with an output schema is answered. */
export function findTool({ ports, options }: Session, name: string): ToolPort<never> | undefined {
  if (options.output !== undefined && name === FINAL_ANSWER) return options.output.tool;
  return ports.tools.get(name);
}
