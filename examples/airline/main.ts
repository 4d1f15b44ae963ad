/**
 * The airline's agent of the recorded data, with its rules as policies.
 *
 *     npm run demo            replays ten recorded conversations, without a key
 *     npm run demo -- --live  you are the customer, and a model of OpenAI the agent
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sqliteStore } from 'agent-hooks/stores/sqlite';
import { readRecordings } from './recording.ts';
import { replay } from './replay.ts';
import { type Row, table } from './table.ts';

const LEGEND = `
A record shows what happened without policies. Where one blocks a call, asks for a confirmation (the replay
denies it) or sends a response back, the conversation diverges: the recorded model knew nothing of that, and
its next answers are played all the same. 3+2 is three until there, that decision included, and two after it.
steps: model calls; calls: tool calls that ran; reward: 1 if the recorded run reached the right end state.`;

const { values } = parseArgs({ options: { live: { type: 'boolean', default: false } } });
if (values.live) {
  const { live } = await import('./live.ts');
  process.exitCode = await live();
} else {
  await replayAll();
}

async function replayAll(): Promise<void> {
  try {
    const folder = mkdtempSync(join(tmpdir(), 'airline-'));
    try {
      await replayIn(folder);
    } finally {
      rmSync(folder, { recursive: true });
    }
  } catch (error) {
    console.error('\nThe replay failed.', error);
    process.exitCode = 1;
  }
}

async function replayIn(folder: string): Promise<void> {
  const store = sqliteStore({ path: join(folder, 'threads.db') });
  try {
    const rows: Row[] = [];
    for (const recording of readRecordings()) {
      rows.push({ recording, tally: await replay(recording, { store, say: console.log }) });
    }
    console.log(`\n${table(rows)}\n${LEGEND}`);
  } finally {
    await store.close?.();
  }
}
