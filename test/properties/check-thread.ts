import { type AgentEvent, type Message, toolCallsOf, toolResultsOf } from '../../src/index.ts';
import type { World } from './world.ts';

/** What has to hold of a stored thread when all of its turns are over: P1 to P4 and P6. */
export async function checkThread(world: World): Promise<void> {
  const { store } = world;
  const stored = await store.load('t');
  if (stored === undefined) return;
  const events = await store.readEvents('t');
  const messages = await store.readMessages('t');
  const phase = stored.state['phase'] as { readonly name: string }; // as the loop wrote it
  if (phase.name !== 'finished') world.problem(`P6: the thread ends in phase '${phase.name}'`);
  const open = await store.pendingApprovals({ threadId: 't' });
  if (open.length > 0) world.problem(`P6: ${open.length} approvals are left open`);
  checkNumbers(world, events);
  checkPairs(world, events);
  checkCalls(world, events, messages);
  checkBalance(world, messages, 'the history');
  for (const { request } of world.requests) checkBalance(world, request.messages, 'a request');
  checkOnce(world, messages);
  checkBounds(world, events);
}

/** P1: numbers only rise. */
function checkNumbers(world: World, events: readonly AgentEvent[]): void {
  for (const [index, { seq, type }] of events.entries()) {
    const before = events[index - 1]?.seq ?? 0;
    if (seq <= before) world.problem(`P1: ${type} has number ${seq} after ${before}`);
  }
}

/** P1: every start has its end, in the right order, and nothing happens outside of its turn. */
function checkPairs(world: World, events: readonly AgentEvent[]): void {
  const open = new Set<string>();
  const seen = new Set<string>();
  const start = (key: string): void => {
    if (seen.has(key)) world.problem(`P1: ${key} starts twice`);
    seen.add(key);
    open.add(key);
  };
  const end = (key: string): void => {
    if (!open.delete(key)) world.problem(`P1: ${key} ends without a start`);
  };
  for (const event of events) {
    const { type, turnId, step } = event;
    if (type === 'turn.started') start(`turn ${turnId}`);
    else if (!open.has(`turn ${turnId}`)) world.problem(`P1: ${type} outside of its turn`);
    if (type === 'step.started') start(`step ${turnId}.${step}`);
    if (type === 'llm.requested') start(`request ${turnId}.${step} attempt ${event.attempt}`);
    if (type === 'llm.responded' || type === 'llm.rejected') checkResponse(world, event, seen);
    if (type === 'tool.started') start(`tool ${event.callId}`);
    if (type === 'tool.succeeded' || type === 'tool.failed') end(`tool ${event.callId}`);
    if (type === 'approval.requested') start(`approval ${event.approvalId}`);
    if (type === 'approval.answered' || type === 'approval.expired')
      end(`approval ${event.approvalId}`);
    if (type === 'step.finished') end(`step ${turnId}.${step}`);
    if (type === 'turn.finished') end(`turn ${turnId}`);
  }
  for (const key of open) {
    // A failed call and an approval that was passed over end with their turn.
    if (!key.startsWith('request ') && !key.startsWith('approval '))
      world.problem(`P1: ${key} does not end`);
  }
}

function checkResponse(world: World, event: AgentEvent, seen: Set<string>): void {
  const { type, turnId, step } = event;
  const key = `${type} ${turnId}.${step}`;
  if (seen.has(key)) world.problem(`P1: ${key} comes twice`);
  seen.add(key);
  const cause = type === 'llm.responded' ? 'request' : 'llm.responded';
  const isCaused = [...seen].some((each) => each.startsWith(`${cause} ${turnId}.${step}`));
  if (!isCaused) world.problem(`P1: ${key} comes without its ${cause}`);
}

/** P1: what the record tells of calls is what the history holds. */
function checkCalls(
  world: World,
  events: readonly AgentEvent[],
  messages: readonly Message[],
): void {
  const called = events.flatMap((event) => (event.type === 'tool.called' ? [event.callId] : []));
  const inHistory = messages.flatMap(toolCallsOf).map(({ callId }) => callId);
  if (called.join() !== inHistory.join()) {
    world.problem(`P1: called are ${called.join()}, in the history ${inHistory.join()}`);
  }
  const settled = events.flatMap((event) =>
    event.type === 'tool.started' || event.type === 'tool.refused' ? [event.callId] : [],
  );
  if (settled.toSorted().join() !== called.toSorted().join()) {
    world.problem(`P1: started or refused are ${settled.join()} of ${called.join()}`);
  }
}

/** P2: every call has exactly one result, right after its message and in its order. */
function checkBalance(world: World, messages: readonly Message[], where: string): void {
  const all = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const calls = toolCallsOf(message).map(({ callId }) => callId);
    const next = messages[index + 1];
    const results = next === undefined ? [] : toolResultsOf(next).map(({ callId }) => callId);
    if (calls.join() !== results.join()) {
      world.problem(`P2: in ${where} calls ${calls.join()} are answered by ${results.join()}`);
    }
    if (message.role === 'assistant' && message.content.length === 0)
      world.problem(`P2: an empty message in ${where}`);
    for (const callId of calls) {
      if (all.has(callId)) world.problem(`P2: in ${where} call ${callId} is there twice`);
      all.add(callId);
    }
  }
}

/** P3: no call runs twice that must not, and no call runs that was not let. */
function checkOnce(world: World, messages: readonly Message[]): void {
  const outcomes = new Map(
    messages.flatMap(toolResultsOf).map((result) => [result.callId, result.outcome]),
  );
  const keys = new Map<string, string>();
  const once = new Set<string>();
  for (const { tool, key, callId } of world.ran) {
    if ((keys.get(key) ?? callId) !== callId)
      world.problem(`P3: calls ${callId} and ${keys.get(key)} share a key`);
    keys.set(key, callId);
    if (tool === 'look' || tool === 'save') continue;
    if (once.has(key)) world.problem(`P3: ${tool} ran twice for call ${callId}`);
    once.add(key);
    const outcome = outcomes.get(callId);
    if (
      outcome === undefined ||
      ['blocked', 'denied', 'not-executed', 'cancelled', 'invalid'].includes(outcome)
    ) {
      world.problem(`P3: ${tool} ran and the history says '${outcome}'`);
    }
  }
}

/** P4: streaks, attempts and steps are bounded, and counted as they happened. */
function checkBounds(world: World, events: readonly AgentEvent[]): void {
  const { cap = 8, steps = 50, resetsOnMessage } = world.script;
  let streak = 0;
  let isOver = '';
  let mayHaveReset = false;
  let unjudged = false;
  for (const event of events) {
    if (event.type === 'turn.started' && resetsOnMessage === true) mayHaveReset = true;
    if (event.type === 'llm.responded') {
      // Of the answer before, no rejection was told.
      if (unjudged) mayHaveReset = true;
      unjudged = true;
    }
    if (event.type === 'llm.requested') {
      if (isOver === event.turnId) world.problem('P4: the model was called after the cap');
      if (event.attempt > 3) world.problem(`P4: attempt ${event.attempt} of one step`);
      if (event.step > steps) world.problem(`P4: step ${event.step} of ${steps}`);
    }
    if (event.type !== 'llm.rejected') continue;
    if (event.streak !== streak + 1 && !(event.streak === 1 && mayHaveReset)) {
      world.problem(`P4: rejection ${streak + 1} is counted as ${event.streak}`);
    }
    streak = event.streak;
    mayHaveReset = false;
    unjudged = false;
    if (streak >= cap) isOver = event.turnId;
  }
  const perLeg = new Map<number, number>();
  for (const { leg } of world.requests) perLeg.set(leg, (perLeg.get(leg) ?? 0) + 1);
  for (const count of perLeg.values())
    if (count > steps * 3) world.problem(`P4: ${count} model calls`);
}
