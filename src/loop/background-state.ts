import type { ToolInvocation } from '../protocol/tool.ts';
import type { CallLocks } from './call-lock-state.ts';

/*
 * A call that goes on after its turn has ended.
 *
 *   runs      its turn was interrupted, and its result in the history says that it runs. In the state: the call.
 *   settled   its outcome is in the ledger (`once`), and in the process that runs it. The state says nothing new.
 *   told      every request of one turn holds a note of the outcome. In the state: the note, and the turn.
 *   over      the first request of a later turn drops it from the state.
 *
 * It has one result in the history, for good, and one event of its end. It is told in one turn, whatever ends before
 * that: what tells it is stored with the commit before the model is called. Of a call whose process has ended the ledger
 * tells; where it tells nothing the outcome is unknown, or the call was cut off where it may be repeated.
 */

export interface BackgroundCall {
  readonly invocation: ToolInvocation;
  /** As what its locked arguments were judged; absent where it has none. */
  readonly locks?: CallLocks;
  /** Set once a model has been told of its outcome. */
  readonly told?: { readonly turnId: string; readonly text: string };
}
