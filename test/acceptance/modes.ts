import type { Agent, RunInput, RunResult } from '../../src/index.ts';

/** One way to drive a whole turn. A policy has to hold in each of them. */
export interface Mode {
  readonly name: 'run' | 'stream' | 'runStep';
  readonly turn: <Context>(
    agent: Agent<Context>,
    input: ThreadInput<Context>,
  ) => Promise<RunResult>;
}

type ThreadInput<Context> = RunInput<Context> & { readonly threadId: string };

export const MODES: readonly Mode[] = [
  { name: 'run', turn: (agent, input) => agent.run(input) },
  {
    name: 'stream',
    turn: async (agent, input) => {
      const stream = agent.stream(input);
      for await (const _event of stream);
      return stream.result;
    },
  },
  {
    name: 'runStep',
    turn: async (agent, input) => {
      const { message, supersede, ...rest } = input;
      let result = await agent.runStep({ ...input });
      while (result.status === 'continues') result = await agent.runStep(rest as typeof input);
      return result;
    },
  },
];
