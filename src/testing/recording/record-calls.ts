import type { Agent, AgentStream } from '../../agent/agent.ts';
import { checkKeys } from '../../errors/check-keys.ts';
import type { AgentEvent } from '../../events/event.ts';
import { redactSecrets } from '../../internal/redact-secrets.ts';
import type { RunResult } from '../../loop/result.ts';
import type { JsonValue } from '../../protocol/json.ts';
import type { StateOf } from '../../protocol/state-values.ts';
import type { RecordedTurn } from './recorded-turn.ts';
import { TurnNotes } from './turn-notes.ts';

export interface RecordOptions {
  /** What must not be in the record beside what looks like a secret anyway: fixed texts and patterns. */
  readonly redact?: readonly (string | RegExp)[];
}

/** An agent that keeps what it did. */
export interface RecordedAgent<Context = unknown, State = StateOf<Context>>
  extends Agent<Context, State> {
  /**
   * The turns so far, in the order in which they began, as plain JSON for a snapshot: model calls, tool calls, decisions
   * and results, the same whenever the agent did the same. Times, durations, usage and digests are not in it, ids are
   * numbered, and what looks like a secret is `[redacted]`.
   */
  recorded(): Promise<readonly RecordedTurn[]>;
}

/**
 * The same agent, with a record of what it does from now on.
 *
 * @example
 * const agent = recordCalls(createAgent({ … }));
 * await agent.run({ message: 'Refund me' });
 * expect(await agent.recorded()).toMatchSnapshot();
 */
export function recordCalls<Context = unknown, State = StateOf<Context>>(
  agent: Agent<Context, State>,
  options: RecordOptions = {},
): RecordedAgent<Context, State> {
  checkKeys('recordCalls', options, ['redact']);
  const turns = new Map<string, TurnNotes>();
  const ids = new Map<string, string>();
  const notesOf = (place: Place): TurnNotes => {
    nameId(ids, place.threadId, 'thread');
    const key = `${place.threadId} ${place.turnId}`;
    const notes = turns.get(key) ?? new TurnNotes(place);
    turns.set(key, notes);
    return notes;
  };
  agent.on('*', (event) => {
    if ('approvalId' in event) nameId(ids, event.approvalId, 'approval');
    notesOf(event).hear(event);
  });
  const read: Read = (result) => {
    // Whatever an agent is asked to do gives a result; only the types of its state and output differ.
    if (result.turnId !== '') notesOf(result).read(result as unknown as RunResult);
    return result;
  };
  const recorded = async (): Promise<readonly RecordedTurn[]> => {
    await agent.settled();
    const plain = [...turns.values()].map((notes) => notes.toTurn());
    // What has no text left out of it is JSON as it was.
    return cleaned(JSON.parse(JSON.stringify(plain)), {
      ids,
      ...options,
    }) as unknown as readonly RecordedTurn[];
  };
  return Object.freeze({ ...watched(agent, read), recorded });
}

type Place = Pick<AgentEvent, 'threadId' | 'turnId' | 'agentPath'>;
type Of = Pick<RunResult, 'threadId' | 'turnId'>;
type Read = <Result extends Of>(result: Result) => Result;

/** Every method that gives a result hands it to `read` as well. */
function watched<Context, State>(agent: Agent<Context, State>, read: Read): Agent<Context, State> {
  const later = async <Result extends Of>(result: Promise<Result>): Promise<Result> =>
    read(await result);
  const streamed = <Output>(stream: AgentStream<State, Output>): AgentStream<State, Output> => {
    stream.result.then(read, () => undefined);
    return stream;
  };
  return {
    ...agent,
    name: agent.name,
    run: (input) => later(agent.run(input)),
    stream: (input) => streamed(agent.stream(input)),
    runStep: (input) => later(agent.runStep(input)),
    resume: (input) => later(agent.resume(input)),
    streamResume: (input) => streamed(agent.streamResume(input)),
    cancel: (threadId, about) => later(agent.cancel(threadId, about)),
    submitToolResults: (input) => later(agent.submitToolResults(input)),
    streamToolResults: (input) => streamed(agent.streamToolResults(input)),
    endThread: (...args) => agent.endThread(...args),
    pendingApprovals: (page) => agent.pendingApprovals(page),
    on: (...args) => agent.on(...args),
    settled: () => agent.settled(),
  };
}

function nameId(ids: Map<string, string>, id: string, noun: string): void {
  if (ids.has(id)) return;
  const count = [...ids.values()].filter((name) => name.startsWith(noun)).length;
  ids.set(id, `${noun}-${count + 1}`);
}

interface Cleaning extends RecordOptions {
  readonly ids: ReadonlyMap<string, string>;
}

function cleaned(value: JsonValue, cleaning: Cleaning): JsonValue {
  if (typeof value === 'string') return cleanText(value, cleaning);
  if (typeof value === 'number') return cleanNumber(value, cleaning);
  if (Array.isArray(value)) return value.map((item: JsonValue) => cleaned(item, cleaning));
  if (typeof value !== 'object' || value === null) return value;
  const members: { [key: string]: JsonValue } = Object.create(null);
  for (const [key, member] of Object.entries(value)) {
    members[freeKey(cleanText(key, cleaning), members)] =
      SECRET_NAME.test(key) && member !== null ? REDACTED : cleaned(member ?? null, cleaning);
  }
  return { ...members };
}

/** Where two names become one, none is dropped. */
function freeKey(key: string, taken: object): string {
  let free = key;
  for (let count = 2; Object.hasOwn(taken, free); count += 1) free = `${key} (${count})`;
  return free;
}

const REDACTED = '[redacted]';
/** A field of such a name holds nothing for a record, whatever its value is. */
const SECRET_NAME =
  /(^|[_-])(password|passwd|secret|token|api[_-]?key|authorization|cookie|pin|cvc|cvv)$/i;

/** A number stays one unless its digits are what the app named. */
function cleanNumber(value: number, cleaning: Cleaning): JsonValue {
  const text = String(value);
  return withoutNamed(text, cleaning) === text ? value : REDACTED;
}

/** Secrets first: with an id of a few letters taken out, they would not look like what they are. */
function cleanText(text: string, cleaning: Cleaning): string {
  let clean = withoutNamed(redactSecrets(text), cleaning);
  for (const [id, name] of cleaning.ids) clean = withName(clean, id, name);
  return clean;
}

function withoutNamed(text: string, { redact = [] }: RecordOptions): string {
  let clean = text;
  for (const one of redact) {
    if (one === '') continue;
    const pattern =
      typeof one === 'string' ? one : new RegExp(one.source, `${one.flags.replace(/[gy]/g, '')}g`);
    clean = clean.replaceAll(pattern, REDACTED);
  }
  return clean;
}

/** An id that the app chose may be a word, or part of one: only a text that is that id, or of a thread below it, is taken for it. */
function withName(text: string, id: string, name: string): string {
  if (text === id || text.startsWith(`${id}/`)) return name + text.slice(id.length);
  return MADE_ID.test(id) ? text.replaceAll(id, name) : text;
}

/** An id as agents make them, which is in no text by chance. */
const MADE_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
