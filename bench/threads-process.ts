/** A fresh process that runs many threads of one contender at once, and prints the most memory it held, in MB. */
import { loadContender } from './contenders.ts';
import { allAtOnce } from './threads.ts';
import { ANSWER, type ContenderName, counts, expectedCounts, type Work } from './work.ts';

const [name, work, threads] = process.argv.slice(2);
// Written by `measureMemory`, which knows the types.
const asked = JSON.parse(work ?? '') as Work;
const contender = await loadContender(name as ContenderName);
const text = await allAtOnce(contender.prepare(asked), Number(threads))();
const expected = expectedCounts(asked);
if (text !== ANSWER || counts.tools !== expected.tools * Number(threads)) {
  throw new Error(`${name} did not do the work`);
}
console.log(process.resourceUsage().maxRSS / 1024);
