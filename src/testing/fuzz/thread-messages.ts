import type { AskOptions } from '../ask-options.ts';
import type { Fault, FuzzInput, FuzzReport } from './fault.ts';
import type { FuzzPoint } from './fuzz-point.ts';
import type { FuzzSetting } from './options.ts';

/** What a thread is started with. `probe`: it asks only what it is then told to ask. */
export interface ThreadTask {
  readonly mode: 'explore' | 'probe';
  readonly href: string;
  readonly exportName: string;
  readonly args: readonly unknown[];
  readonly point: FuzzPoint;
  readonly setting: Omit<FuzzSetting, 'asking'> & { readonly asking: Omit<AskOptions, 'counters'> };
}

/** What it tells. One that tells nothing for a while is stuck in a call. */
export type ThreadMessage =
  | { readonly type: 'alive' }
  | { readonly type: 'ready'; readonly policy: string }
  | { readonly type: 'asking'; readonly input: FuzzInput }
  | { readonly type: 'answered' }
  | { readonly type: 'found'; readonly fault: Fault }
  | { readonly type: 'done'; readonly report: FuzzReport }
  | { readonly type: 'refused'; readonly message: string };
