import { AgentHooksError, type RunResult } from '../../src/index.ts';
import type { Leg } from './leg.ts';
import type { World } from './world.ts';

const TERMINAL = ['completed', 'blocked', 'limited', 'refused', 'cancelled', 'failed'];

/** What an answer may be refused for. Any may come too late. */
const REFUSALS: { readonly [did: string]: readonly string[] } = {
  'a wrong answer': [
    'approval-invalid-input',
    'approval-unknown',
    'approval-answered',
    'approval-expired',
  ],
  'an answer of a stranger': ['approval-not-an-approver', 'approval-expired'],
};

/** What has to hold of every call of an agent, however it was struck. */
export async function checkLeg(world: World, leg: Leg): Promise<void> {
  const { process, did, ending } = leg;
  world.legs.push(leg);
  if (ending === 'hangs') return world.problem(`P6: ${did} hangs`);
  checkEnds(world, leg);
  if (ending === 'abandoned') return;
  if ('thrown' in ending) checkThrown(world, leg, ending.thrown);
  else await checkResult(world, leg, ending.result);
  if (!process.dead) await checkReleased(world, did);
}

/** Whoever else may have had the thread since may have changed what a call finds. */
function isAlone(world: World, leg: Leg): boolean {
  const others = world.legs.some(({ process }) => process.takenOver || process.frozen);
  return !others && !leg.process.was('cancel', 'busy');
}

/** P6: only mistakes of the caller are thrown, typed, and then nothing has happened. */
function checkThrown(world: World, leg: Leg, thrown: unknown): void {
  const { did, versions, process } = leg;
  if (!AgentHooksError.isInstance(thrown)) {
    world.problem(`P6: ${did} threw something untyped: ${describe(thrown)}`);
    return;
  }
  const { code } = thrown;
  const refusals = REFUSALS[did] ?? ['approval-expired'];
  const isTold = refusals.includes(code) || (!isAlone(world, leg) && code !== 'illegal-transition');
  if (!isTold) world.problem(`P6: ${did} threw '${code}': ${thrown.message}`);
  if (isAlone(world, leg) && versions[0] !== versions[1]) {
    world.problem(`P6: ${did} threw '${code}' and has written something`);
  }
  if (world.ran.some((ran) => ran.leg === process.leg)) {
    world.problem(`P6: ${did} threw '${code}' and has run a tool`);
  }
}

async function checkResult(world: World, leg: Leg, result: RunResult): Promise<void> {
  const { did, process } = leg;
  const { status } = result;
  if (did === 'a wrong answer') world.problem(`P6: a wrong answer was taken: '${status}'`);
  if (status === 'failed') checkFailure(world, leg, result);
  const isOnlyCancelled = process.struck.every((what) => what === 'cancel' || what === 'abort');
  if (process.cancelledInside && isOnlyCancelled && status !== 'cancelled') {
    world.problem(`P4: ${did} was cancelled and ends '${status}'`);
  }
  const finished = process.heard.filter(
    (event) => event.type === 'turn.finished' && event.turnId === result.turnId,
  );
  const isEnd = TERMINAL.includes(status) && result.turnId !== '';
  // Somebody else may have ended the turn before.
  const isOwn = finished.length > 0 || isAlone(world, leg);
  if (isEnd && isOwn && finished.length !== 1) {
    world.problem(`P1: ${did} ended '${status}' and told of ${finished.length} ends`);
  }
  const [told] = finished;
  if (told?.type === 'turn.finished' && told.status !== status) {
    world.problem(`P1: ${did} ended '${status}' and told of '${told.status}'`);
  }
  if (!isEnd && finished.length > 0)
    world.problem(`P1: ${did}: '${status}' is no end, but one was told of`);
  if (process.struck.length > 0 || !isAlone(world, leg)) return;
  const stored = await world.store.load('t');
  const phase = stored?.state['phase'] as
    | { name: string; outcome?: { status: string } }
    | undefined; // as the loop wrote it
  const expected = isEnd ? 'finished' : status === 'continues' ? 'requesting' : status;
  if (phase?.name !== expected) world.problem(`P1: '${status}' leaves the phase '${phase?.name}'`);
  if (isEnd && phase?.outcome?.status !== status) {
    world.problem(`P1: '${status}' is stored as '${phase?.outcome?.status}'`);
  }
}

function checkFailure(
  world: World,
  leg: Leg,
  { error }: Extract<RunResult, { readonly status: 'failed' }>,
): void {
  const { process, did } = leg;
  const hasStore = isAlone(world, leg) && !process.was('die', 'fail', 'lose');
  const isOfStore = ['store-failed', 'thread-conflict', 'ledger-mismatch'].includes(error.code);
  if (error.code === 'illegal-transition' || (isOfStore && hasStore)) {
    world.problem(`P6: ${did} failed by its own fault: ${error.message} ${describe(error.cause)}`);
  }
}

/** P1: within one call, nothing ends twice. P5: what was discarded is for the audit only. */
function checkEnds(world: World, { process, did }: Leg): void {
  const ends = new Set<string>();
  for (const event of process.heard) {
    const isEnd = event.type === 'turn.finished' || event.type === 'step.finished';
    const key = `${event.type} ${event.turnId}.${event.type === 'turn.finished' ? '' : event.step}`;
    if (isEnd && ends.has(key)) world.problem(`P1: ${did} told twice of ${key}`);
    if (isEnd) ends.add(key);
  }
  if (process.streamed.some((event) => 'discarded' in event)) {
    world.problem(`P5: ${did} streamed what was discarded`);
  }
}

/** P7: the thread is free again. */
async function checkReleased(world: World, did: string): Promise<void> {
  try {
    const { token } = await world.store.claim('t', { holder: 'test', ttlMs: 1_000 });
    await world.store.release('t', token);
  } catch (error) {
    world.problem(`P7: the thread is still held after ${did}: ${describe(error)}`);
  }
}

function describe(thrown: unknown): string {
  return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
}
