import * as z from 'zod';
import { checkNamed, type NamedOptions } from './check-named.ts';
import { Done } from './done.ts';
import { type Tool, tool } from './tool.ts';

/** What is said where an agent ends a conversation without a word, and nobody has chosen other words. */
export const GOODBYE_LINE = 'Goodbye!';

/**
 * A tool without arguments that ends the conversation. `description` tells the model when that is. `goodbye` is said
 * where the answer that called it had no words, and nothing where it had; default `GOODBYE_LINE`. Harmless: runs without
 * asking. Its name is `end_session`, unless the options say another.
 */
export function endSessionTool(
  description: string,
  goodbye: string | null = null,
  options: Omit<NamedOptions, 'description'> = {},
): Tool<Record<string, never>> {
  checkNamed('endSessionTool()', options);
  const { name = 'end_session' } = options;
  return tool({
    name,
    description,
    inputSchema: z.object({}),
    outputSchema: Done,
    sideEffects: 'none',
    parallel: false,
    endsConversation: true,
    goodbye: goodbye ?? GOODBYE_LINE,
    execute: () => undefined,
  });
}
