import { clipped } from '../../../loop/transcript.ts';
import type { JsonValue } from '../../../protocol/json.ts';
import type { AssistantPart, Message, UserPart } from '../../../protocol/message.ts';
import type { ReplayDifference } from '../../../testing/replay/compare.ts';
import type { Diverged, ReplayDecision } from '../../../testing/replay/course.ts';
import type { ReplayEntry, ReplayedConversation } from '../../../testing/replay/report.ts';
import { isNews } from '../fail-on.ts';
import { place } from '../print.ts';

/** One conversation as the page shows it: what was said and what was decided, in the order of reading. */
export interface View {
  readonly id: string;
  readonly place: string;
  /** Absent for a conversation that was replayed. */
  readonly broken?: string;
  readonly problems: readonly string[];
  readonly diverged: boolean;
  readonly differences: number;
  /** Decisions that do more than let pass. */
  readonly news: number;
  readonly policies: readonly string[];
  readonly decisions: readonly string[];
  readonly items: readonly Item[];
}

type Item =
  | { readonly type: 'message'; readonly role: string; readonly parts: readonly Part[] }
  | ({ readonly type: 'decision' } & ReplayDecision)
  | ({ readonly type: 'diverged'; readonly side?: 'against' } & Diverged)
  | { readonly type: 'difference'; readonly difference: ReplayDifference };

type Part =
  | { readonly type: 'text' | 'thought' | 'file'; readonly text: string }
  | { readonly type: 'call'; readonly tool: string; readonly text: string }
  | {
      readonly type: 'result';
      readonly tool: string;
      readonly outcome: string;
      readonly text: string;
    };

/** Characters of one text that the page holds: of what is longer, its beginning and its end. */
const LONGEST = 200_000;

export function viewOf(entry: ReplayEntry): View {
  const nothing = { problems: [], diverged: false, differences: 0, news: 0, policies: [] };
  if (entry.type === 'broken') {
    const { id = '(no id)', source, problem } = entry;
    return { ...nothing, id, place: place(source), broken: problem, decisions: [], items: [] };
  }
  const told = [...entry.decisions, ...(entry.against?.decisions ?? [])];
  const news = told.filter(({ decision }) => isNews(decision));
  return {
    id: entry.id,
    place: place(entry.source),
    problems: entry.problems,
    diverged: entry.diverged !== undefined || entry.against?.diverged !== undefined,
    differences: entry.differences?.length ?? 0,
    news: news.length,
    policies: [...new Set(told.map(({ policy }) => policy))],
    decisions: [...new Set(told.map(({ decision }) => decision))],
    items: itemsOf(entry),
  };
}

/** True for a conversation that somebody should look at. */
export function isWorthReading({ broken, problems, differences, news }: View): boolean {
  return broken !== undefined || problems.length > 0 || differences > 0 || news > 0;
}

interface Placed {
  readonly turn: number;
  readonly step: number;
  readonly moment: Moment;
  readonly item: Item;
}

/** Before the answer of a step, right after it, and once its tools have run. */
type Moment = 0 | 1 | 2;

function itemsOf(entry: ReplayedConversation): readonly Item[] {
  const notes = notesOf(entry);
  const items: Item[] = [];
  let [turn, step] = [0, 0];
  const tell = (upTo: Place): void => {
    while (notes[0] !== undefined && !isBehind(notes[0], upTo)) {
      const { item } = notes.shift() as Placed; // It is there, by the check above.
      items.push(item);
    }
  };
  for (const message of entry.transcript.messages) {
    if (message.role === 'user') {
      tell({ turn, step: Number.POSITIVE_INFINITY, moment: 2 });
      [turn, step] = [turn + 1, 0];
    } else if (message.role === 'assistant' && message.content.length > 0 && turn > 0) {
      step += 1;
      tell({ turn, step, moment: 0 });
    }
    items.push(messageItem(message));
    if (message.role === 'assistant') tell({ turn, step, moment: 1 });
    if (message.role === 'tool') tell({ turn, step, moment: 2 });
  }
  return [...items, ...notes.map(({ item }) => item)];
}

type Place = Omit<Placed, 'item'>;

function isBehind(a: Place, b: Place): boolean {
  return (a.turn - b.turn || a.step - b.step || a.moment - b.moment) > 0;
}

const BEFORE: readonly string[] = ['onTurnStart', 'onUserMessage', 'systemPrompt', 'preLlmRequest'];
const WITH_RESULTS: readonly string[] = ['postToolUse', 'onKnowledgeQuery', 'onKnowledgeResults'];

function momentOf(point: string): Moment {
  if (BEFORE.includes(point)) return 0;
  return WITH_RESULTS.includes(point) ? 2 : 1;
}

function notesOf(entry: ReplayedConversation): Placed[] {
  const { decisions, diverged, differences = [], against } = entry;
  const differing = new Set(differences.flatMap((one) => ('hooks' in one ? one.hooks : [])));
  const notes: Placed[] = [
    ...decisions
      .filter((one) => !differing.has(one))
      .map((one) => noted(one, { type: 'decision', ...one })),
    ...differences.map((difference) =>
      noted(placeOf(difference), { type: 'difference', difference }),
    ),
  ];
  if (diverged !== undefined) notes.push(divergence(diverged, { type: 'diverged', ...diverged }));
  const other = against?.diverged;
  if (other !== undefined && !isSamePlace(other, diverged))
    notes.push(divergence(other, { type: 'diverged', side: 'against', ...other }));
  return notes.sort((a, b) => a.turn - b.turn || a.step - b.step || a.moment - b.moment);
}

function noted(
  { turn, step, point }: { readonly turn: number; readonly step: number; readonly point: string },
  item: Item,
): Placed {
  return { turn, step, moment: momentOf(point), item };
}

function placeOf(one: ReplayDifference): { turn: number; step: number; point: string } {
  const { turn, step } = one;
  if (one.type === 'decision')
    return { turn, step, point: (one.hooks ?? one.against)?.point ?? '' };
  return { turn, step, point: one.what === 'request' ? 'preLlmRequest' : 'preToolUse' };
}

/** Behind the decisions of its step: it is what came of them. */
function divergence({ turn, step }: Diverged, item: Item): Placed {
  return { turn, step, moment: 1, item };
}

function isSamePlace(a: Diverged, b: Diverged | undefined): boolean {
  return a.turn === b?.turn && a.step === b.step && a.why === b.why;
}

function messageItem(message: Message): Item {
  const { role } = message;
  if (message.role === 'system')
    return {
      type: 'message',
      role,
      parts: [{ type: 'text', text: clipped(message.content, LONGEST) }],
    };
  if (message.role === 'tool') {
    const parts = message.content.map(
      ({ toolName, outcome, output }): Part => ({
        type: 'result',
        tool: toolName,
        outcome,
        text: textOf(output),
      }),
    );
    return { type: 'message', role, parts };
  }
  return { type: 'message', role, parts: message.content.map(partOf) };
}

function partOf(part: UserPart | AssistantPart): Part {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: clipped(part.text, LONGEST) };
    case 'reasoning':
      return { type: 'thought', text: clipped(part.text, LONGEST) };
    case 'file':
      return { type: 'file', text: clipped(part.filename ?? part.mediaType, LONGEST) };
    case 'tool-call':
      return { type: 'call', tool: part.toolName, text: textOf(part.input) };
  }
}

/** JSON for people; many tools answer with JSON in a text. */
function textOf(value: JsonValue): string {
  const data = typeof value === 'string' ? parsed(value) : value;
  const text = typeof data === 'string' ? data : JSON.stringify(data, null, 2);
  return clipped(text, LONGEST);
}

function parsed(text: string): JsonValue {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
