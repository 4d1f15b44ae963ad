import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { readConversation } from '../../../src/testing/replay/read-conversation.ts';
import { readTranscripts } from '../../../src/testing/replay/read-transcripts.ts';
import { type ReplayOptions, replay } from '../../../src/testing/replay/replay.ts';
import type { ReplayedConversation } from '../../../src/testing/replay/report.ts';
import type { BrokenTranscript, Transcript } from '../../../src/testing/replay/transcript.ts';

const folder = mkdtempSync(join(tmpdir(), 'replay-test-'));
let files = 0;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A file in a folder that goes with the tests. */
export function fileOf(text: string, name = 'conversations.jsonl'): string {
  files += 1;
  const path = join(folder, `${files}-${name}`);
  writeFileSync(path, text);
  return path;
}

/** All of it, in order. */
export async function collect<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const all: Value[] = [];
  for await (const value of values) all.push(value);
  return all;
}

export function allOf(
  ...args: Parameters<typeof readTranscripts>
): Promise<(Transcript | BrokenTranscript)[]> {
  return collect(readTranscripts(...args));
}

/** A conversation of these messages, in any of the formats. */
export function conversation(messages: readonly unknown[], more: object = {}): Transcript {
  const read = readConversation({ id: 'c', messages, ...more }, { file: 'test' });
  if (read.type === 'broken') throw new Error(read.problem);
  return read;
}

/** What came of one conversation, which must not be broken. */
export async function replayOne(
  transcript: Transcript,
  options: Omit<ReplayOptions, 'conversations'>,
): Promise<ReplayedConversation> {
  const [entry] = await collect(replay({ ...options, conversations: [transcript] }));
  if (entry?.type !== 'replayed') throw new Error(entry?.problem ?? 'nothing came');
  return entry;
}

/** Each decision on a line, `after` in brackets. */
export function linesOf({ decisions }: Pick<ReplayedConversation, 'decisions'>): string[] {
  return decisions.map(({ turn, step, policy, point, decision, after }) => {
    const text = `${turn}.${step} ${point} ${decision} by ${policy}`;
    return after ? `(${text})` : text;
  });
}
