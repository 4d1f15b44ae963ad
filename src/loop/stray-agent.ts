import type { ChildAgent } from './child-tool.ts';
import type { Session } from './session.ts';

/**
 * Stands in for an agent that is no longer there, to end a thread of it: with the policies and rules of its caller,
 * which is all that is left of what held there. It is never gone on with.
 */
export function strayAgent(name: string, { options }: Session): ChildAgent {
  return {
    name,
    tools: NO_TOOLS,
    open: ({ ports }) => {
      // The schema of its values is gone with it.
      const { state: _ofCaller, ...world } = ports;
      return {
        ports: { ...world, agentName: name, tools: NO_TOOLS },
        rules: options.rules,
        hooks: ports.policies,
      };
    },
  };
}

const NO_TOOLS: ChildAgent['tools'] = Object.freeze({
  get: () => undefined,
  names: [],
  descriptions: [],
});
