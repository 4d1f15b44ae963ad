import type { JsonObject, JsonValue } from '../../protocol/json.ts';

/** A model call. Only `main` ones have no purpose. */
export interface RecordedModelCall {
  readonly model: string;
  readonly purpose?: string;
  readonly attempt?: number;
  /** Absent for a call that failed. */
  readonly finishReason?: string;
  readonly toolCalls?: number;
  /** Who rejected its answer. */
  readonly rejected?: string;
}

/** What a policy said. */
export interface RecordedDecision {
  readonly policy: string;
  readonly point: string;
  /** The kind of decision, or `failed: <kind>`. */
  readonly decision: string;
  readonly reason?: string;
  readonly call?: string;
  readonly recheck?: true;
  readonly shadow?: true;
}

export interface RecordedToolCall {
  /** As the engine numbers it: turn, step and place. */
  readonly call: string;
  readonly tool: string;
  /** What the model asked for. */
  readonly requested?: JsonValue;
  /** What policies made of it, where that is something else: what ran, or would have run. */
  readonly effective?: JsonValue;
  readonly outcome?: string;
  /** Who refused it, and why. */
  readonly refused?: string;
  /** What the model reads of it. */
  readonly output?: JsonValue;
}

export interface RecordedStep {
  readonly step: number;
  readonly models?: readonly RecordedModelCall[];
  readonly decisions?: readonly RecordedDecision[];
  readonly tools?: readonly RecordedToolCall[];
  /** Everything else that happened, in order, by the names of its events. */
  readonly events?: readonly JsonObject[];
}

/** What one turn did: the same for two runs that did the same, whatever the clock, the ids and the machine. */
export interface RecordedTurn {
  readonly thread: string;
  readonly turn: string;
  /** The agents above that of this turn. */
  readonly agentPath?: readonly string[];
  readonly steps: readonly RecordedStep[];
  /** How the calls of the agent about this turn ended, in order. */
  readonly results: readonly JsonObject[];
}
