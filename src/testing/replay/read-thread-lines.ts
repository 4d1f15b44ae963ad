import { broken, nameOf } from './read-conversation.ts';
import { readMessages } from './read-messages.ts';
import type {
  BrokenTranscript,
  RecordedApproval,
  Transcript,
  TranscriptSource,
} from './transcript.ts';
import { isRecord } from './unreadable.ts';

const FORMAT = 'agent-hooks/thread';

/** True for the first line of an exported thread. */
export function isThreadHead(value: unknown): boolean {
  return isRecord(value) && value['type'] === 'thread' && value['format'] === FORMAT;
}

/** True for any other line of one. */
export function isThreadLine(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { type } = value;
  if (type === 'end') return 'messages' in value && 'events' in value;
  return (type === 'message' || type === 'event') && isRecord(value[type]);
}

/** Puts the lines of one exported thread together again, as they come. */
export class ThreadLines {
  readonly #source: TranscriptSource;
  readonly #id: string;
  readonly #messages: unknown[] = [];
  readonly #approvals = new Map<string, RecordedApproval>();
  #events = 0;
  #problem: string | undefined;

  constructor(head: unknown, source: TranscriptSource) {
    this.#source = source;
    const id = isRecord(head) ? head['threadId'] : undefined;
    this.#id = typeof id === 'string' && id !== '' ? id : nameOf(source);
    if (!isThreadHead(head)) this.#problem = 'has no first line';
    else if (!isRecord(head) || head['version'] !== 1) {
      this.#problem = 'is an export of a version that this release does not read';
    }
  }

  /** Takes the next line. Answers with the whole thread once it is its last. */
  add(value: unknown, line: number): Transcript | BrokenTranscript | undefined {
    if (!isRecord(value)) return this.#fail(`line ${line} is no object`);
    if (value['type'] === 'message') this.#messages.push(value['message']);
    else if (value['type'] === 'event') this.#addEvent(value['event']);
    else if (value['type'] === 'end') return this.#end(value);
    else this.#fail(`line ${line} is none of message, event and end`);
    return undefined;
  }

  /** Notes what is wrong with a line of it; the first mistake is the one that is told. */
  unreadable(problem: string, line: number): void {
    this.#fail(`line ${line} ${problem}`);
  }

  /** What comes of it when no line follows. */
  cutOff(): BrokenTranscript {
    return this.#broken(this.#problem ?? 'ends before its last line');
  }

  #addEvent(event: unknown): void {
    this.#events += 1;
    if (!isRecord(event) || event['type'] !== 'approval.answered') return;
    const { callId, approved, by, reason } = event;
    if (typeof callId !== 'string' || typeof by !== 'string') return;
    const why = typeof reason === 'string' ? { reason } : {};
    this.#approvals.set(callId, { approved: approved === true, by, ...why });
  }

  #end(end: Readonly<Record<string, unknown>>): Transcript | BrokenTranscript {
    const isWhole = end['messages'] === this.#messages.length && end['events'] === this.#events;
    if (this.#problem === undefined && !isWhole) this.#fail('has fewer lines than its end counts');
    if (this.#problem !== undefined) return this.#broken(this.#problem);
    const read = readMessages(this.#messages);
    if ('problem' in read) return this.#broken(read.problem);
    return {
      type: 'transcript',
      id: this.#id,
      source: this.#source,
      messages: read.messages,
      tools: [],
      approvals: this.#approvals,
    };
  }

  #fail(problem: string): undefined {
    this.#problem ??= problem;
  }

  #broken(problem: string): BrokenTranscript {
    return broken(this.#source, problem, this.#id);
  }
}
