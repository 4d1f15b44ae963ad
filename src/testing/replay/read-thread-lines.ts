import { broken, nameOf } from './read-conversation.ts';
import { readMessages } from './read-messages.ts';
import type {
  BrokenTranscript,
  RecordedApproval,
  Transcript,
  TranscriptSource,
} from './transcript.ts';
import { isRecord } from './unreadable.ts';

const FORMAT = 'agent-hooks.thread';

/** Each line of a thread is one of these, under its name; a replay needs the first two and the last. */
const KINDS = ['message', 'event', 'ledger', 'approval', 'artifact', 'memory', 'state', 'end'];

/** True for the first line of a thread that `exportThread` wrote. */
export function isThreadHead(value: unknown): boolean {
  return isRecord(value) && value['format'] === FORMAT;
}

/** True for any other line of one. */
export function isThreadLine(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length === 1 && kindOf(value) !== undefined;
}

/** True for the last line of an export, which says how many threads there were. */
export function isExportEnd(value: unknown): boolean {
  return isRecord(value) && isRecord(value['finished']) && Object.keys(value).length === 1;
}

function kindOf(value: Readonly<Record<string, unknown>>): string | undefined {
  return KINDS.find((kind) => isRecord(value[kind]));
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
    const kind = isRecord(value) ? kindOf(value) : undefined;
    if (!isRecord(value) || kind === undefined)
      return this.#fail(`line ${line} is no line of a thread`);
    if (kind === 'message') this.#messages.push(value[kind]);
    if (kind === 'event') this.#addEvent(value[kind]);
    return kind === 'end' ? this.#end(value[kind]) : undefined;
  }

  /** Notes what is wrong with a line of it; the first mistake is the one that is told. */
  unreadable(problem: string, line: number): void {
    this.#fail(`line ${line} ${problem}`);
  }

  /** What comes of it when no line follows. */
  cutOff(): BrokenTranscript {
    return broken(this.#source, this.#problem ?? 'ends before its last line', this.#id);
  }

  #addEvent(event: unknown): void {
    this.#events += 1;
    noteApproval(event, this.#approvals);
  }

  #end(counts: unknown): Transcript | BrokenTranscript {
    const isWhole =
      isRecord(counts) &&
      counts['message'] === this.#messages.length &&
      counts['event'] === this.#events;
    if (!isWhole) this.#fail('has fewer lines than its end counts');
    if (this.#problem !== undefined) return broken(this.#source, this.#problem, this.#id);
    const about = { id: this.#id, source: this.#source };
    return threadTranscript(about, this.#messages, this.#approvals);
  }

  #fail(problem: string): undefined {
    this.#problem ??= problem;
  }
}

/** What a person answered, where this event tells it. */
export function noteApproval(event: unknown, approvals: Map<string, RecordedApproval>): void {
  if (!isRecord(event) || event['type'] !== 'approval.answered') return;
  const { callId, approved, by, reason } = event;
  if (typeof callId !== 'string' || typeof by !== 'string') return;
  const why = typeof reason === 'string' ? { reason } : {};
  approvals.set(callId, { approved: approved === true, by, ...why });
}

export function threadTranscript(
  { id, source }: { readonly id: string; readonly source: TranscriptSource },
  values: readonly unknown[],
  approvals: Transcript['approvals'],
): Transcript | BrokenTranscript {
  const read = readMessages(values);
  if ('problem' in read) return broken(source, read.problem, id);
  const { messages } = read;
  return { type: 'transcript', id, source, messages, tools: [], approvals };
}
