import * as z from 'zod';
import { type Tool, type ToolContext, ToolError, tool } from '../../src/index.ts';
import { canariesIn } from './canary.ts';
import type { Process } from './process.ts';
import { pause } from './timers.ts';
import type { World } from './world.ts';

const KINDS = {
  look: { sideEffects: 'none' },
  save: { sideEffects: 'idempotent', tier: 'auto' },
  pay: { sideEffects: 'once', tier: 'auto' },
  wire: { sideEffects: 'once', tier: 'auto', parallel: true },
  ask: { sideEffects: 'once', tier: 'confirm' },
} as const;

/** The tools every script has. Each notes that it ran before it does what is next for it. */
export function toolsOf(world: World, process: Process): readonly Tool[] {
  return Object.entries(KINDS).map(([name, kind]) => {
    const made = tool({
      name,
      description: `Does ${name}`,
      inputSchema: z.object({ id: z.string().optional() }),
      timeoutMs: 12,
      ...kind,
      execute: (input, ctx: ToolContext) => run(world, process, { input, ctx }),
    });
    return made as unknown as Tool; // the agent only sees its wire form
  });
}

function run(
  world: World,
  process: Process,
  { input, ctx }: { readonly input: unknown; readonly ctx: ToolContext },
): unknown {
  const { toolName, callId, idempotencyKey } = ctx;
  if (process.was('cancel', 'abort')) world.problem(`P4: ${toolName} began after the cancel`);
  world.ran.push({
    at: world.tick(),
    leg: process.leg,
    tool: toolName,
    callId,
    key: idempotencyKey,
    words: canariesIn(input),
  });
  process.moment();
  const output = { did: world.newWord('O') };
  switch (world.nextToolMove()) {
    case 'ok':
      return output;
    case 'slow':
      return pause(2).then(() => output);
    case 'late':
      return pause(25).then(() => output);
    case 'hang':
      return new Promise(() => undefined);
    case 'heeds':
      return heed(ctx.signal);
    case 'throw':
      throw new Error('the tool is broken');
    case 'tool error':
      return Promise.reject(new ToolError('the tool says no'));
    case 'odd': {
      const odd: Record<string, unknown> = { ...output, big: 1n, on: new Date(0), not: Number.NaN };
      return { ...odd, self: odd };
    }
  }
}

function heed(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop);
  });
}
