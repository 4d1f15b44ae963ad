import { type CanaryKind, canariesIn } from './canary.ts';
import type { Point } from './script.ts';
import type { World } from './world.ts';

/** P5: nothing is kept, sent or run, rewritten or not, that each policy of its point was not asked about. */
export async function checkSeen(world: World): Promise<void> {
  const kept = canariesIn(await world.store.readMessages('t'));
  const sent = canariesIn(world.requests.map(({ request }) => request.messages));
  const run = new Set(world.ran.flatMap(({ words }) => [...words]));
  expectSeen(world, 'onUserMessage', wordsOf(kept, ['U', 'V']));
  expectSeen(world, 'preLlmRequest', sent);
  expectSeen(world, 'onLlmResponse', wordsOf(kept, ['A', 'R', 'I', 'B']));
  expectSeen(world, 'onOutgoingMessage', wordsOf(kept, ['A', 'B', 'S']));
  expectSeen(world, 'preToolUse', wordsOf(run, ['I', 'J']));
  expectSeen(world, 'postToolUse', wordsOf(kept, ['O']));
}

function wordsOf(words: ReadonlySet<string>, kinds: readonly CanaryKind[]): ReadonlySet<string> {
  return new Set([...words].filter((word) => kinds.some((kind) => word.startsWith(`zq${kind}`))));
}

function expectSeen(world: World, point: Point, words: ReadonlySet<string>): void {
  for (const [policy, { moves }] of world.script.policies.entries()) {
    if (moves[point] === undefined) continue;
    for (const word of words) {
      if (world.seen.get(`${policy} ${point}`)?.has(word) === true) continue;
      world.problem(`P5: ${word} went past policy ${policy} at ${point}`);
    }
  }
}
