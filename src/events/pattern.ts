import { ConfigError, type ConfigProblem } from '../errors/config-error.ts';
import { nearestName } from '../internal/nearest-name.ts';
import type { AgentEvent, EventType } from './event.ts';

type Group<Type> = Type extends `${infer Noun}.${string}` ? Noun : never;

/** An event type, all of a noun (`tool.*`), or everything (`*`). */
export type EventPattern = EventType | `${Group<EventType>}.*` | '*';

/** The events a pattern means. */
export type EventsOf<Pattern extends EventPattern> = Pattern extends '*'
  ? AgentEvent
  : Pattern extends `${infer Noun}.*`
    ? Extract<AgentEvent, { readonly type: `${Noun}.${string}` }>
    : Extract<AgentEvent, { readonly type: Pattern }>;

/** Every event type; `satisfies` makes a missing or a misspelled one a compile error. */
const TYPES = {
  'turn.started': true,
  'turn.finished': true,
  'step.started': true,
  'step.finished': true,
  'message.user': true,
  'message.outgoing': true,
  'llm.requested': true,
  'llm.delta': true,
  'llm.responded': true,
  'llm.rejected': true,
  'llm.retrying': true,
  'text.retracted': true,
  'tool.called': true,
  'tool.started': true,
  'tool.progress': true,
  'tool.succeeded': true,
  'tool.failed': true,
  'tool.refused': true,
  'tool.replied': true,
  'tool.save-refused': true,
  'approval.requested': true,
  'approval.answered': true,
  'approval.expired': true,
  'knowledge.queried': true,
  'knowledge.found': true,
  'hook.decided': true,
  'hook.failed': true,
  'context.compacted': true,
  'state.changed': true,
  'line.said': true,
  'error.raised': true,
  'thread.ended': true,
} satisfies Record<EventType, true>;

export const EVENT_TYPES: readonly EventType[] = Object.keys(TYPES) as EventType[];

/** Never stored and never numbered: they tell of something that is not yet, or never, part of the record. */
const UNSTORED: ReadonlySet<EventType> = new Set([
  'llm.delta',
  'tool.progress',
  'text.retracted',
  'llm.retrying',
]);

export function isStored(type: EventType): boolean {
  return !UNSTORED.has(type);
}

/** Every type a pattern means. A pattern that matches nothing is a `ConfigError` with the nearest name. */
export function matchEvents(pattern: string, where: string): readonly EventType[] {
  const matches = typesOf(pattern);
  if (matches.length === 0) throw new ConfigError('invalid-pattern', noEvent(pattern, where));
  return matches;
}

/** What is wrong with a pattern, for those who list mistakes; nothing when it means an event. */
export function patternProblem(pattern: string, where: string): ConfigProblem | undefined {
  return typesOf(pattern).length > 0 ? undefined : noEvent(pattern, where);
}

function typesOf(pattern: string): readonly EventType[] {
  if (pattern === '*') return EVENT_TYPES;
  return pattern.endsWith('.*')
    ? EVENT_TYPES.filter((type) => type.startsWith(pattern.slice(0, -1)))
    : EVENT_TYPES.filter((type) => type === pattern);
}

function noEvent(pattern: string, where: string): ConfigProblem {
  const groups = new Set(EVENT_TYPES.map((type) => type.replace(/\..*/, '.*')));
  const nearest = nearestName(pattern, [...EVENT_TYPES, ...groups]);
  const all = `Use one of: ${EVENT_TYPES.join(', ')}, or a pattern such as 'tool.*'`;
  return {
    code: 'invalid-pattern',
    where,
    what: `the pattern '${pattern}' matches no event`,
    fix: nearest === undefined ? all : `Did you mean '${nearest}'? ${all}`,
  };
}
