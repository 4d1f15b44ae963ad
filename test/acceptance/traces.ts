import { expect } from 'vitest';
import { type AgentEvent, type Message, toolCallsOf, toolResultsOf } from '../../src/index.ts';
import type { Played } from './play.ts';

type Place = 'heard' | 'streamed' | 'events' | 'messages' | 'state' | 'approvals' | 'result';

/** Everything of a thread that anybody could read afterwards, as text. */
async function tracesOf(
  played: Played,
  threadId = 't',
): Promise<{ readonly [place in Place]: string }> {
  const { store, result, heard, streamed } = played;
  const error = result.status === 'failed' ? { ...result.error, message: result.error.message } : 0;
  return {
    heard: JSON.stringify(heard),
    streamed: JSON.stringify(streamed),
    events: JSON.stringify(await store.readEvents(threadId)),
    messages: JSON.stringify(await store.readMessages(threadId)),
    state: JSON.stringify((await store.load(threadId)) ?? null),
    approvals: JSON.stringify(await store.pendingApprovals()),
    result: JSON.stringify({ ...result, error }),
  };
}

/** The places in which a word can be read. */
export async function placesOf(word: string, played: Played): Promise<readonly string[]> {
  const traces = await tracesOf(played);
  return Object.entries(traces).flatMap(([place, text]) => (text.includes(word) ? [place] : []));
}

/** What has to hold of every thread, whatever happened on it. */
export async function expectSound(played: Played, threadId = 't'): Promise<void> {
  const { store, heard } = played;
  const events = await store.readEvents(threadId);
  expectPairs(events);
  expectPairs(heard.filter((event) => event.threadId === threadId));
  expect(events.map(({ seq }) => seq)).toEqual(
    events.map(({ seq }) => seq).toSorted((a, b) => a - b),
  );
  expect(new Set(events.map(({ seq }) => seq)).size).toBe(events.length);
  expectAnswered(await store.readMessages(threadId));
}

/** Starts and ends of turns, steps and tools come in pairs, but for what is still open at the end. */
export function expectPairs(events: readonly AgentEvent[]): void {
  const open = new Set<string>();
  const start = (key: string): void => {
    expect(open, `${key} starts once`).not.toContain(key);
    open.add(key);
  };
  const end = (key: string): void => {
    expect(open, `${key} ends after its start`).toContain(key);
    open.delete(key);
  };
  for (const event of events) {
    const { turnId, step } = event;
    if (event.type === 'turn.started') start(`turn ${turnId}`);
    if (event.type === 'turn.finished') end(`turn ${turnId}`);
    if (event.type === 'step.started') start(`step ${turnId}.${step}`);
    if (event.type === 'step.finished') end(`step ${turnId}.${step}`);
    if (event.type === 'tool.started') start(`tool ${event.callId}`);
    if (event.type === 'tool.succeeded' || event.type === 'tool.failed') {
      end(`tool ${event.callId}`);
    }
  }
  const turnIsOpen = [...open].some((key) => key.startsWith('turn '));
  if (!turnIsOpen) expect([...open]).toEqual([]);
}

/** Every call in a history has exactly one result, right after it and in its order. */
export function expectAnswered(messages: readonly Message[]): void {
  for (const [index, message] of messages.entries()) {
    const calls = toolCallsOf(message).map(({ callId }) => callId);
    const next = messages[index + 1];
    const results = next === undefined ? [] : toolResultsOf(next).map(({ callId }) => callId);
    if (calls.length > 0) expect(results).toEqual(calls);
    if (message.role === 'tool') {
      const before = messages[index - 1];
      expect(before === undefined ? [] : toolCallsOf(before).length).toBe(message.content.length);
    }
  }
}

/** The results of the whole history, by the engine's id of their call. */
export function resultsIn(messages: readonly Message[]): {
  readonly [callId: string]: { readonly outcome: string; readonly output: unknown };
} {
  return Object.fromEntries(
    messages
      .flatMap(toolResultsOf)
      .map(({ callId, outcome, output }) => [callId, { outcome, output }]),
  );
}
