import type { AgentEvent } from '../../src/index.ts';
import type { World } from './world.ts';

/** P3: no tool ran that a policy was against, or that waited for a person who did not say yes. */
export async function checkVotes(world: World): Promise<void> {
  const events = await world.store.readEvents('t');
  const approved = new Set(events.flatMap((event) => (isApproval(event) ? [event.callId] : [])));
  for (const ran of world.ran) {
    const before = world.votes.filter(({ callId, at }) => callId === ran.callId && at < ran.at);
    // An answer a crash has lost may have had a call of this id too; the last one is the one that ran.
    const own = before.filter(({ leg }) => leg === ran.leg);
    const isShared = world.legs.some(({ process }) => process.takenOver);
    if (own.length === 0 && isShared) continue;
    const word = (own.length > 0 ? own : before).at(-1)?.word;
    // What was judged again and could not be written is judged once more.
    const votes = before.filter(
      (vote) => vote.word === word && word !== undefined && (!vote.again || vote.leg === ran.leg),
    );
    for (const { vote } of votes) {
      if (vote === 'block' || vote === 'failed')
        world.problem(`P3: ${ran.tool} ran after a vote '${vote}'`);
      const asks = vote.startsWith('confirm');
      if (asks && !approved.has(ran.callId))
        world.problem(`P3: ${ran.tool} ran without its approval`);
    }
    const isAllowed = votes.some(({ vote }) => vote === 'allow') || approved.has(ran.callId);
    if (ran.tool === 'ask' && !isAllowed && word !== undefined)
      world.problem('P3: a tool that asks ran unasked');
  }
  noteDroppedBatches(world);
}

function isApproval(
  event: AgentEvent,
): event is Extract<AgentEvent, { type: 'approval.answered' }> {
  return event.type === 'approval.answered' && event.approved;
}

/** An answer of which one call was sent back is dropped as a whole, unless a policy failed or blocks that call. */
function noteDroppedBatches(world: World): void {
  const first = world.votes.filter(({ again }) => !again);
  for (const { vote, word, callId, leg } of first) {
    if (vote !== 'retry' || word === undefined) continue;
    const isBlocked = first.some((other) => other.word === word && other.vote === 'block');
    const batch = `${leg}/${callId.slice(0, callId.lastIndexOf('.'))}`;
    if (isBlocked || world.failedBatches.has(batch)) continue;
    const number = word.slice(3, word.indexOf('.'));
    const words = [`zqA${number}qz`, `zqR${number}qz`];
    for (let index = 0; index < 4; index += 1) words.push(`zqI${number}.${index}qz`);
    world.forbid(words, { why: 'retry at preToolUse' });
  }
}
