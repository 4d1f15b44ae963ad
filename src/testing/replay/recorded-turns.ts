import type {
  AssistantMessage,
  Message,
  ToolCallPart,
  ToolResultPart,
  UserMessage,
} from '../../protocol/message.ts';
import type { RecordedApproval, Transcript } from './transcript.ts';

/** What is known of one call of the record. */
export interface RecordedCall {
  readonly call: ToolCallPart;
  /** Absent where the record has none, as at its end. */
  readonly result: ToolResultPart | undefined;
  /** What a person answered; undefined where nobody was asked, or the record does not say. */
  readonly approval: RecordedApproval | undefined;
}

/** One turn of the record. */
export interface RecordedTurn {
  readonly question: UserMessage;
  /** The question and everything up to the next one. */
  readonly messages: readonly Message[];
  /** The answers that have something in them, each with its calls in order. */
  readonly answers: readonly (readonly RecordedCall[])[];
}

/** A record as it is played: instructions, and turn by turn. */
export interface RecordedTurns {
  readonly instructions: string;
  readonly turns: readonly RecordedTurn[];
  /** Answers before the first message of a user: no run begins with one. */
  readonly unasked: number;
}

export function recordedTurns({ messages, approvals }: Transcript): RecordedTurns {
  const turns: Message[][] = [];
  const instructions: string[] = [];
  let unasked = 0;
  for (const message of messages) {
    if (message.role === 'user') turns.push([message]);
    else if (message.role === 'system') {
      if (turns.length === 0) instructions.push(message.content);
    } else if (message.role === 'assistant' && message.content.length === 0) {
      // A model that answers nothing is asked again, and what it then says is the next one.
    } else if (turns.length > 0) turns.at(-1)?.push(message);
    else if (message.role === 'assistant') unasked += 1;
  }
  return {
    instructions: instructions.join('\n\n'),
    turns: turns.map((turn) => turnOf(turn, approvals)),
    unasked,
  };
}

function turnOf(messages: readonly Message[], approvals: Transcript['approvals']): RecordedTurn {
  const answers = messages.flatMap((message, index) =>
    message.role === 'assistant' ? [callsOf(message, messages[index + 1], approvals)] : [],
  );
  // A turn is begun by its question.
  return { question: messages[0] as UserMessage, messages, answers };
}

function callsOf(
  { content }: AssistantMessage,
  next: Message | undefined,
  approvals: Transcript['approvals'],
): readonly RecordedCall[] {
  const results = next?.role === 'tool' ? next.content : [];
  return content.flatMap((part) => {
    if (part.type !== 'tool-call') return [];
    const result = results.find(({ callId }) => callId === part.callId);
    return { call: part, result, approval: approvals.get(part.callId) };
  });
}
