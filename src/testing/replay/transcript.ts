import type { JsonObject } from '../../protocol/json.ts';
import type { Message } from '../../protocol/message.ts';

/** Where a recorded conversation comes from. */
export interface TranscriptSource {
  /** The file, as it was named; for a thread of a store, the word `store`. */
  readonly file: string;
  /** The line it begins at, from 1; absent for a thread of a store. */
  readonly line?: number;
}

/** A tool as the record describes it. */
export interface RecordedTool {
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of its arguments. */
  readonly inputSchema: JsonObject;
}

/** What a person answered when a call was to be confirmed. */
export interface RecordedApproval {
  readonly approved: boolean;
  readonly by: string;
  readonly reason?: string;
}

/** One recorded conversation, in messages of this package. */
export interface Transcript {
  readonly type: 'transcript';
  readonly id: string;
  readonly source: TranscriptSource;
  readonly messages: readonly Message[];
  /** What the record says of the tools; empty where it says nothing. */
  readonly tools: readonly RecordedTool[];
  /** What people answered, by the recorded id of the call: known only where the record holds events. */
  readonly approvals: ReadonlyMap<string, RecordedApproval>;
}

/** A conversation that cannot be read. It is named, and what comes after it is read all the same. */
export interface BrokenTranscript {
  readonly type: 'broken';
  /** Absent where nothing of it could be read. */
  readonly id?: string;
  readonly source: TranscriptSource;
  /** What is wrong, without a word of the conversation. */
  readonly problem: string;
}
