import {
  type Approval,
  type ApprovalAnswer,
  type ReplayModel,
  type RunResult,
  replayModel,
  type ThreadStore,
  toolResultsOf,
} from 'agent-hooks';
import { airlineAgent } from './agent.ts';
import { divergence, headline, narrate } from './narrate.ts';
import type { Recording } from './recording.ts';
import { Tally } from './tally.ts';
import type { Airline } from './tools.ts';

/** Where a replay goes: its thread into the store, its lines to whoever reads them. */
export interface Output {
  readonly store: ThreadStore;
  readonly say: (line: string) => void;
}

/**
 * Plays one recorded conversation through the agent: the model answers what was recorded, in order and
 * whatever happened before; a tool that runs answers what was recorded for that very call; a confirmation is
 * denied, since nobody was asked then. A response that is sent back is spent: the model goes on with the
 * recorded answer after it, which knew nothing of that. Throws when anything but a policy got in the way.
 */
export async function replay(recording: Recording, output: Output): Promise<Tally> {
  const { store, say } = output;
  const tally = new Tally();
  const model = replayModel(recording.transcript, { id: 'recorded' });
  const agent = airlineAgent({ model, store });
  say(headline(recording));
  agent.on('*', (event) => {
    const dimmed = tally.diverged;
    tally.hear(event);
    const line = narrate(event, { dimmed });
    if (line !== undefined) say(line);
    if (!dimmed && tally.diverged) say(divergence());
  });
  const threadId = recording.id;
  const context = recordedAirline(model);
  for (const message of recording.questions) {
    let result = await agent.run({ threadId, message, context });
    while (result.status === 'awaiting-approval') {
      result = await agent.resume({ threadId, answers: result.approvals.map(deny), context });
    }
    requireCompleted(result, recording);
  }
  await agent.settled();
  check(recording, model, tally);
  return tally;
}

function recordedAirline(model: ReplayModel): Airline {
  return {
    answer(toolName) {
      const result = model.expected.flatMap(toolResultsOf).find((one) => one.toolName === toolName);
      if (result === undefined) throw new Error(`the record has no answer of ${toolName} here`);
      return String(result.output);
    },
  };
}

function deny({ approvalId }: Approval): ApprovalAnswer {
  return { approvalId, approved: false, by: 'replay', reason: 'In the record nobody was asked.' };
}

function requireCompleted(result: RunResult, { id }: Recording): void {
  if (result.status === 'completed') return;
  const cause = result.status === 'failed' ? result.error : undefined;
  throw new Error(`${id}: a turn ended ${result.status}`, { cause });
}

function check({ id }: Recording, model: ReplayModel, tally: Tally): void {
  const problems = [...tally.problems];
  if (model.remaining > 0) problems.push(`${model.remaining} recorded answers were not used`);
  // The model compares what it is sent with the record, and knows nothing of policies.
  if ((model.diverged !== undefined) !== tally.diverged) {
    problems.push('the policies and the record do not agree on whether the conversation diverged');
  }
  if (problems.length > 0) throw new Error(`${id}: ${problems.join('; ')}`);
}
