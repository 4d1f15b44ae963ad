import * as z from 'zod';
import { type SideEffects, type Tool, type ToolTier, tool } from '../../src/index.ts';

export interface EchoTool {
  readonly tool: Tool<{ message: string }>;
  /** Every message it was really run with, in order. */
  readonly ran: string[];
}

/** A tool that says what it is told, and remembers that it did: whether it ran is what most guards are about. */
export function echoTool(
  options: {
    readonly name?: string;
    readonly tier?: ToolTier;
    readonly sideEffects?: SideEffects;
    readonly parallel?: boolean;
  } = {},
): EchoTool {
  const ran: string[] = [];
  const echo = tool({
    name: 'echo',
    displayName: 'Echo',
    description: 'Repeats a message',
    inputSchema: z.object({ message: z.string() }),
    sideEffects: 'none',
    ...options,
    execute: ({ message }) => {
      ran.push(message);
      return `Echo: ${message}`;
    },
  });
  return { tool: echo, ran };
}

/** One call of the echo tool, as a model asks for it. */
export function echoCall(message: string, name = 'echo'): { name: string; input: object } {
  return { name, input: { message } };
}
