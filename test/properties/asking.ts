import type { ToolResult } from '../../src/index.ts';
import type { Process } from './process.ts';
import type { Point } from './script.ts';
import type { World } from './world.ts';

/** One question to one scripted policy. */
export interface Asking {
  readonly world: World;
  readonly process: Process;
  readonly policy: number;
  readonly point: Point;
  readonly payload: object;
  readonly result: ToolResult | undefined;
  readonly recheck: boolean;
  readonly signal: AbortSignal;
  /** Whether a failure here counts as one. */
  readonly isClosed: boolean;
  readonly isAsync: boolean;
}
