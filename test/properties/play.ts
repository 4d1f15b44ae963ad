import {
  type Agent,
  AgentHooksError,
  type Approval,
  type ApprovalAnswer,
  createAgent,
  type RunResult,
  type RunStream,
} from '../../src/index.ts';
import { canary } from './canary.ts';
import { checkLeg } from './check-leg.ts';
import type { Ending } from './leg.ts';
import { modelOf } from './model.ts';
import { policiesOf } from './policies.ts';
import { Process } from './process.ts';
import type { Mode } from './script.ts';
import { storeOf } from './store.ts';
import { pause, settle, watchTimers, within } from './timers.ts';
import { toolsOf } from './tools.ts';
import type { World } from './world.ts';

const LEG_MS = 2_000;
const MAX_LEGS = 60;

/** The clock of the leases. It only moves when a process is taken for dead. */
export interface FakeClock {
  now: number;
}

export function lapseLeases(clock: FakeClock): void {
  clock.now += 60_000;
}

/** Plays a script to its end: every message is sent, and every turn brought to where it is over. */
export async function play(world: World, clock: FakeClock): Promise<void> {
  const left: Promise<unknown>[] = [];
  let legs = 0;
  for (; legs < MAX_LEGS; legs += 1) {
    let act = await nextAct(world);
    if (act === undefined && left.length > 0) {
      // A process that was taken for dead may still leave something to do.
      await allOf(world, left.splice(0));
      act = await nextAct(world);
    }
    if (act === undefined) break;
    await playLeg(world, { clock, leg: world.firstLeg + legs, act, left });
  }
  if (legs === MAX_LEGS) world.problem('P6: the turn does not come to an end');
  await allOf(world, left);
  await settle();
}

async function allOf(world: World, left: readonly Promise<unknown>[]): Promise<void> {
  if ((await within(Promise.all(left), LEG_MS)) === 'hangs')
    world.problem('P6: a run hangs after all');
}

/** What a caller does next. */
interface Act {
  readonly name: string;
  readonly rejudges?: string;
  readonly call: (agent: Agent, mode: Mode, signal: AbortSignal) => Promise<RunResult> | RunStream;
}

async function playLeg(
  world: World,
  leg: {
    readonly clock: FakeClock;
    readonly leg: number;
    readonly act: Act;
    readonly left: Promise<unknown>[];
  },
): Promise<void> {
  const { clock, act, left } = leg;
  const controller = new AbortController();
  const strikes = {
    abort: () => controller.abort(),
    advance: () => lapseLeases(clock),
    cancel: () => void left.push(unlessFrozen(process, typed(world, agent.cancel('t')))),
    disturb: () => void left.push(unlessFrozen(process, disturb(world, process))),
  };
  const begin = { leg: leg.leg, userWord: world.userWord, rejudges: act.rejudges };
  const process = new Process(world.script, begin, strikes);
  const agent = agentOf(world, process);
  const before = (await world.store.load('t'))?.version ?? 0;
  const { result: running, left: timers } = watchTimers(() =>
    endingOf(act, agent, { world, process, signal: controller.signal }),
  );
  const ending = await within(Promise.race([running, process.abandoned]), LEG_MS);
  if (ending === 'abandoned') left.push(unlessFrozen(process, running));
  if (process.dead) lapseLeases(clock);
  const after = (await world.store.load('t'))?.version ?? 0;
  if (ending !== 'abandoned') {
    await settle();
    if (timers() > 0) world.problem(`P7: ${timers()} timers left after ${act.name}`);
  }
  await checkLeg(world, { process, did: act.name, ending, versions: [before, after] });
}

async function endingOf(
  act: Act,
  agent: Agent,
  at: { readonly world: World; readonly process: Process; readonly signal: AbortSignal },
): Promise<Ending> {
  const { world, process, signal } = at;
  try {
    const running = act.call(agent, world.script.mode, signal);
    if (running instanceof Promise) return { result: await running };
    for await (const event of running) process.streamed.push(event);
    return { result: await running.result };
  } catch (thrown) {
    return { thrown };
  }
}

function agentOf(world: World, process: Process): Agent {
  const { script } = world;
  const { mode, cap, steps } = script;
  const agent = createAgent({
    name: 'clerk',
    instructions: 'Be a clerk.',
    model: modelOf(world, process),
    tools: toolsOf(world, process),
    hooks: policiesOf(world, process),
    store: storeOf(world, process),
    cancelGraceMs: 4,
    streaming: mode === 'stream live' ? 'live' : 'hold',
    ...(cap !== undefined && { maxResponseRetries: cap }),
    ...(steps !== undefined && { limits: { steps } }),
    ...(script.forgetsDiscarded === true && { keepDiscarded: false }),
    ...(script.resetsOnMessage === true && { resetStreakOn: 'user-message' }),
  });
  agent.on('*', (event) => void process.heard.push(event));
  return agent;
}

/** Another run on a thread that is held. */
async function disturb(world: World, process: Process): Promise<void> {
  const { store } = world;
  const agent = createAgent({ name: 'clerk', model: modelOf(world, process), store });
  const refused = await typed(world, agent.run({ threadId: 't', message: 'me too' }));
  if (refused !== 'thread-busy')
    world.problem(`P6: a held thread was given to another: ${refused}`);
}

/** Nobody waits for a call in a process that stands still. */
function unlessFrozen(process: Process, call: Promise<unknown>): Promise<unknown> {
  return Promise.race([call, process.stopped]);
}

/** Waits for a call beside the run, which may be refused, but only in a way the caller can tell. */
async function typed(world: World, call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'answered';
  } catch (error) {
    if (AgentHooksError.isInstance(error)) return error.code;
    world.problem(`P6: an untyped error was thrown: ${error}`);
    return 'untyped';
  }
}

async function nextAct(world: World): Promise<Act | undefined> {
  const { name, turn } = await phaseOf(world);
  const rejudges = turn === undefined ? {} : { rejudges: `${turn.turnId}.${turn.step}` };
  if (name === 'none' || name === 'finished') {
    return world.turns < world.script.turns ? message(world, {}) : undefined;
  }
  if (name === 'awaiting-approval') return { ...(await answerAct(world)), ...rejudges };
  return { ...(await pickupAct(world)), ...rejudges };
}

async function phaseOf(
  world: World,
): Promise<{ name: string; turn?: { turnId: string; step: number } }> {
  const stored = await world.store.load('t');
  // Written by the loop; a test reads of it what the loop's types say.
  return (stored?.state['phase'] as Awaited<ReturnType<typeof phaseOf>>) ?? { name: 'none' };
}

function message(world: World, options: { readonly supersede?: true }): Act {
  world.turns += 1;
  const input = { threadId: 't', message: `please ${world.userWord}`, ...options };
  return {
    name: 'a message',
    call: (agent, mode, signal) => {
      if (mode === 'run') return agent.run({ ...input, signal });
      if (mode === 'runStep') return agent.runStep({ ...input, signal });
      return agent.stream({ ...input, signal });
    },
  };
}

async function pickupAct(world: World): Promise<Act> {
  switch (world.nextPickup(world.script.mode === 'runStep' ? 'step' : 'resume')) {
    case 'message':
      return message(world, {});
    case 'cancel':
      return { name: 'cancel', call: (agent) => agent.cancel('t') };
    case 'step':
      return {
        name: 'step',
        call: (agent, _mode, signal) => agent.runStep({ threadId: 't', signal }),
      };
    case 'late resume':
      // Late enough for what a tool still says after its time.
      await pause(30);
      return resume([]);
    case 'resume':
      return resume([]);
  }
}

function resume(answers: readonly ApprovalAnswer[], name = 'resume'): Act {
  const input = { threadId: 't', answers };
  return {
    name,
    call: (agent, mode, signal) =>
      mode === 'run' || mode === 'runStep'
        ? agent.resume({ ...input, signal })
        : agent.streamResume({ ...input, signal }),
  };
}

async function answerAct(world: World): Promise<Act> {
  const open = await world.store.pendingApprovals({ threadId: 't' });
  const isLate = open.some(({ expiresAt }) => expiresAt !== undefined && expiresAt <= Date.now());
  const person = world.nextPerson(isLate ? 'nothing' : 'approve');
  const answer = ({ approvalId }: Approval, more: Partial<ApprovalAnswer> = {}) => ({
    approvalId,
    approved: true,
    by: 'boss',
    ...more,
  });
  switch (person) {
    case 'approve':
      return resume(open.map((one) => answer(one)));
    case 'deny':
      return resume(open.map((one) => answer(one, { approved: false })));
    case 'edit':
      return resume(open.map((one) => answer(one, { input: { id: world.newWord('J') } })));
    case 'misfit':
      return resume(
        open.map((one) => answer(one, { input: { id: 7 } })),
        'a wrong answer',
      );
    case 'one':
      return resume(open.slice(0, 1).map((one) => answer(one)));
    case 'stranger':
      return resume(
        open.map((one) => answer(one, { by: 'stranger' })),
        'an answer of a stranger',
      );
    case 'wrong id':
      return resume([{ approvalId: canary('J', 0), approved: true, by: 'boss' }], 'a wrong answer');
    case 'twice':
      return resume(
        [...open, ...open].map((one) => answer(one)),
        'a wrong answer',
      );
    case 'expire':
      await pause(3);
      return resume([], 'nothing');
    case 'supersede':
      return message(world, { supersede: true });
    case 'cancel':
      return { name: 'cancel', call: (agent) => agent.cancel('t') };
    case 'nothing':
      return resume([], 'nothing');
  }
}
