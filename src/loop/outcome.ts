import type { ErrorInfo } from '../errors/base.ts';

/** How a turn ended, as stored. */
export type Outcome =
  | { readonly status: 'completed'; readonly text: string; readonly finishReason: string }
  | {
      readonly status: 'blocked';
      readonly by: string;
      readonly point: string;
      readonly reason: string;
      readonly text: string;
    }
  | {
      readonly status: 'limited';
      readonly limit: LimitName;
      /** Its name, where the limit is a budget. */
      readonly budget?: string;
      readonly text: string;
    }
  | { readonly status: 'refused'; readonly text: string }
  | { readonly status: 'cancelled' }
  | { readonly status: 'failed'; readonly error: ErrorInfo; readonly text: string };

export type LimitName = TurnLimitName | `thread-${TurnLimitName}` | 'budget';

export type TurnLimitName = 'steps' | 'tokens' | 'cost' | 'wall-time';
