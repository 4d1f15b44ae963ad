import { type Agent, type ChatModel, createAgent, type ThreadStore } from 'agent-hooks';
import { airlineHooks } from './hooks.ts';
import { readData } from './recording.ts';
import { type Airline, airlineTools } from './tools.ts';

/** The airline's agent: its rules in prose for the model, and those that code can check as policies. */
export function airlineAgent(parts: {
  readonly model: ChatModel;
  readonly store: ThreadStore;
}): Agent<Airline> {
  return createAgent<Airline>({
    name: 'airline',
    ...parts,
    instructions: readData('instructions.md'),
    tools: airlineTools,
    hooks: airlineHooks,
  });
}
