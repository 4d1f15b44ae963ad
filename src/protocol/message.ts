import type { JsonObject, JsonValue } from './json.ts';

/** One message of a thread, in the shape it is stored and sent. Frozen where it is created. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

export interface SystemMessage {
  readonly role: 'system';
  readonly content: string;
}

export interface UserMessage {
  readonly role: 'user';
  readonly content: readonly UserPart[];
}

export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: readonly AssistantPart[];
}

/** The results of one batch, in the order of its calls. */
export interface ToolMessage {
  readonly role: 'tool';
  readonly content: readonly ToolResultPart[];
}

export type UserPart = TextPart | FilePart;
export type AssistantPart = TextPart | ReasoningPart | FilePart | ToolCallPart;

export interface TextPart {
  readonly type: 'text';
  readonly text: string;
  readonly providerMetadata?: JsonObject;
}

/** What the model thought. Kept because some providers want it back unchanged; never shown to the user. */
export interface ReasoningPart {
  readonly type: 'reasoning';
  readonly text: string;
  readonly providerMetadata?: JsonObject;
}

/** A file by base64 `data` or by `url`; exactly one of the two is set. */
export interface FilePart {
  readonly type: 'file';
  readonly mediaType: string;
  readonly data?: string;
  readonly url?: string;
  readonly filename?: string;
}

export interface ToolCallPart {
  readonly type: 'tool-call';
  /** Minted by the engine as `turn.step.index`; unique on its thread for ever. */
  readonly callId: string;
  /** What the provider called it. A wire attribute: never a key, as providers repeat these. */
  readonly providerCallId: string;
  readonly toolName: string;
  /** The effective input, without locked values. For a malformed call, the text the model wrote. */
  readonly input: JsonValue;
  /** Why `input` could not be read as arguments. Such a call never runs. */
  readonly malformed?: string;
  readonly providerMetadata?: JsonObject;
}

export interface ToolResultPart {
  readonly type: 'tool-result';
  readonly callId: string;
  readonly providerCallId: string;
  readonly toolName: string;
  readonly outcome: ToolOutcome;
  readonly isError: boolean;
  readonly output: JsonValue;
  /** Pictures and documents that belong to the output. */
  readonly files?: readonly FilePart[];
}

/**
 * How one tool call ended. `succeeded` and `failed` ran; `blocked`, `denied`, `not-executed`, `invalid` and
 * `unknown-tool` never started; `cancelled` was stopped; `unknown` may have run before a crash or a cancel;
 * `running` goes on after its turn, and a note tells of its end.
 */
export type ToolOutcome =
  | 'succeeded'
  | 'failed'
  | 'blocked'
  | 'denied'
  | 'not-executed'
  | 'invalid'
  | 'unknown-tool'
  | 'cancelled'
  | 'unknown'
  | 'running';
