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
for await (const _entry of run) {
  seen += 1;
  if (seen % Number(every) !== 0) continue;
  globalThis.gc?.();
  heaps.push(process.memoryUsage().heapUsed);
}
const { conversations, decisions } = await run.report();
const { maxRSS } = process.resourceUsage();
process.stdout.write(JSON.stringify({ conversations, decisions, heaps, peakBytes: maxRSS * 1024 }));
