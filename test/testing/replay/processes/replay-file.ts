/** Replays a file and tells, every so often, how much memory is in use. Run with `--expose-gc`. */
import { defineHooks, ToolDecision } from '../../../../src/index.ts';
import { readTranscripts } from '../../../../src/testing/replay/read-transcripts.ts';
import { replay } from '../../../../src/testing/replay/replay.ts';

const [, , file = '', every = '1000'] = process.argv;
const policy = defineHooks({
  name: 'limit',
  preToolUse: ({ effectiveInput: { amount = 0 } }) =>
    Number(amount) > 90 ? ToolDecision.block('too much') : undefined,
});
const run = replay({ hooks: [policy], conversations: readTranscripts(file) });
const heaps: number[] = [];
let seen = 0;
let peakBytes = 0;
for await (const _entry of run) {
  seen += 1;
  // What the system calls the peak of a process begins with the size of whoever started it.
  peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
  if (seen % Number(every) !== 0) continue;
  globalThis.gc?.();
  heaps.push(process.memoryUsage().heapUsed);
}
const { conversations, decisions } = await run.report();
process.stdout.write(JSON.stringify({ conversations, decisions, heaps, peakBytes }));
