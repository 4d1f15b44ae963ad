import type { ErrorInfo } from '../errors/base.ts';
import type { EventBody } from '../events/event.ts';
import type { Approval } from '../protocol/approval.ts';
import type { Artifact } from '../protocol/artifact.ts';
import type { ChatRequest, ChatResponse } from '../protocol/chat.ts';
import type { Message, UserMessage } from '../protocol/message.ts';
import type { Purpose } from '../protocol/texts.ts';
import type { CompactionCause, Cut, Summary } from './compaction-state.ts';
import type { SubmittedResult } from './host-state.ts';
import type { CountedChild } from './spent-state.ts';
import type {
  Batch,
  BatchCall,
  Failure,
  FinishedCall,
  LedgerNote,
  LetGo,
  OpenTurn,
  ThreadState,
} from './state.ts';

/** What the loop wants done. `emit`, `publish`, `adopt-summary`, `tell-error` and `cancel-operations` answer with nothing; every other gives the next loop event. */
export type Effect =
  /** Into the record; heard when the next commit has stored them. */
  | {
      readonly type: 'emit';
      readonly turnId: string;
      readonly step: number;
      readonly events: readonly EventBody[];
    }
  /** Heard at once and never stored: the store has failed, or the event has no place in it. */
  | {
      readonly type: 'publish';
      readonly turnId: string;
      readonly step: number;
      readonly events: readonly EventBody[];
    }
  | { readonly type: 'judge-opening'; readonly turn: OpenTurn; readonly message: UserMessage }
  | {
      readonly type: 'judge-request';
      readonly turn: OpenTurn;
      readonly attempt: number;
      readonly candidate?: UserMessage;
      readonly note?: string;
      readonly overflowed?: true;
      readonly compacted?: true;
    }
  /** A summary of the policies, or the request for one. */
  | {
      readonly type: 'compact';
      readonly turn: OpenTurn;
      readonly attempt: number;
      readonly cause: CompactionCause;
      /** True while a message of the user waits that is not part of the history. */
      readonly hasCandidate: boolean;
    }
  | {
      readonly type: 'call-summary';
      readonly turn: OpenTurn;
      readonly attempt: number;
      readonly request?: ChatRequest;
    }
  | {
      readonly type: 'judge-summary';
      readonly turn: OpenTurn;
      readonly attempt: number;
      readonly cut: Cut;
      readonly response: ChatResponse;
    }
  /** From here on the model reads the summary in the place of what it stands for. */
  | { readonly type: 'adopt-summary'; readonly summary: Summary }
  | {
      readonly type: 'call-model';
      readonly turn: OpenTurn;
      readonly attempt: number;
      readonly request?: ChatRequest;
    }
  | {
      readonly type: 'judge-response';
      readonly turn: OpenTurn;
      readonly attempt: number;
      readonly response: ChatResponse;
    }
  | {
      readonly type: 'judge-batch';
      readonly turn: OpenTurn;
      readonly attempt: number;
      readonly response: ChatResponse;
    }
  /** Each listen tool of the batch prepares its operation, or reads again what it has prepared. */
  | { readonly type: 'prepare-batch'; readonly turn: OpenTurn; readonly batch: Batch }
  | {
      readonly type: 'cancel-operations';
      readonly turn: OpenTurn;
      readonly dropped: readonly LetGo[];
    }
  | {
      readonly type: 'rejudge-batch';
      readonly turn: OpenTurn;
      readonly batch: Batch;
      /** That of the model call; absent where that is not known any more. */
      readonly attempt?: number;
    }
  | {
      readonly type: 'judge-outgoing';
      readonly turn: OpenTurn;
      readonly text: string;
      readonly isFinal: boolean;
      readonly fromCall?: true;
    }
  | {
      readonly type: 'run-tools';
      readonly turn: OpenTurn;
      readonly calls: readonly BatchCall[];
      readonly recovering: boolean;
      /** Calls that have their result. */
      readonly finished?: readonly FinishedCall[];
      readonly children?: readonly CountedChild[];
      readonly submitted?: readonly SubmittedResult[];
      /** True when subagents are not to go on, but to end. */
      readonly ending: boolean;
    }
  | { readonly type: 'judge-error'; readonly turn: OpenTurn; readonly failure: Failure }
  /** The policies hear of a cancel, where nobody is waited for, or of a compaction that failed. */
  | {
      readonly type: 'tell-error';
      readonly turn: OpenTurn;
      readonly error: ErrorInfo;
      readonly purpose?: Purpose;
    }
  | CommitEffect;

/** Writes the checkpoint and everything emitted since the last commit, all or nothing. */
export interface CommitEffect {
  readonly type: 'commit';
  readonly checkpoint: ThreadState;
  readonly messages: readonly Message[];
  readonly approvals: readonly Approval[];
  readonly ledger: readonly LedgerNote[];
  /** Absent for none. */
  readonly artifacts?: readonly Artifact[] | undefined;
}
