import type { Usage } from '../protocol/chat.ts';
import type { Limits } from './rules.ts';

/**
 * What the model is told for one call only: behind the messages of its request, as a note of the system that is not the
 * user's. In no history, event or result, but in the request that `preLlmRequest` judges.
 */
export interface Note {
  /** In errors and events. Unique among the notes of an agent. */
  readonly name: string;
  /**
   * Asked before every model call of the main loop; nothing for no note. Answers at once and changes nothing. One that
   * throws, or gives anything but a text, ends the turn like a failed policy.
   */
  text(info: NoteInfo): string | undefined;
}

/** What a note may go by. */
export interface NoteInfo {
  readonly threadId: string;
  readonly turnId: string;
  /** The step that is about to be made, from 1. */
  readonly step: number;
  readonly limits: Limits;
  /** What the turn has spent; `steps` counts the one that is about to be made. */
  readonly turn: Spending;
  /** The same over all turns of the thread. */
  readonly thread: Spending;
  /** The tools called in the batch before this step, each once; none where nothing was called. */
  readonly lastTools: readonly string[];
}

export interface Spending {
  readonly steps: number;
  readonly usage: Usage;
  /** By the agent's `prices`; absent without them, and when a call had none. */
  readonly cost?: number;
  /** Milliseconds of activity. */
  readonly activeMs: number;
}
