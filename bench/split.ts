import { type AgentHooks, createAgent, defineHooks, memoryStore } from 'agent-hooks';
import { interleave, type Rounds } from './measure.ts';
import { weatherModel } from './model.ts';
import { runOurs, weather } from './ours.ts';
import { round, type SplitRow } from './rows.ts';
import { SYSTEM, type Turn, type Work } from './work.ts';

/** Every point that a turn with tools comes to, wraps included; none of them changes anything. */
const TEN = {
  onTurnStart: async () => undefined,
  onUserMessage: async () => undefined,
  systemPrompt: (prompt: string) => prompt,
  preLlmRequest: async () => undefined,
  wrapLlmCall: (request, next) => next(request),
  onLlmResponse: async () => undefined,
  preToolUse: async () => undefined,
  wrapToolUse: async (invocation, next) => next(invocation),
  postToolUse: async () => undefined,
  onOutgoingMessage: async () => undefined,
} satisfies AgentHooks;

/** The same ten methods in one policy, and in ten policies of one method each. */
export async function measureSplit(steps: number, rounds: Rounds): Promise<SplitRow> {
  const work: Work = { steps, calls: 1, guards: 'none' };
  const one = [defineHooks({ name: 'one', ...TEN })];
  const ten = Object.entries(TEN).map(([point, method]) =>
    defineHooks({ name: point, [point]: method }),
  );
  const turns = Math.max(1, Math.ceil(200 / steps));
  const us = await interleave(
    [
      { name: 'one', work, prepare: () => prepare(work, one), turns },
      { name: 'ten', work, prepare: () => prepare(work, ten), turns },
    ],
    rounds,
  );
  const perStep = (name: 'one' | 'ten'): number => round((us.get(name) ?? Number.NaN) / steps);
  return { steps, oneUs: perStep('one'), tenUs: perStep('ten') };
}

let threads = 0;

function prepare(work: Work, hooks: readonly AgentHooks[]): Turn {
  const agent = createAgent({
    name: 'bench',
    model: weatherModel(work, 0),
    instructions: SYSTEM,
    tools: [weather],
    hooks,
    limits: { steps: work.steps + 1 },
    store: memoryStore(),
  });
  return () => {
    threads += 1;
    return runOurs(agent, `s${threads}`, work.steps);
  };
}
