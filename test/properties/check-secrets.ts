import { type AgentEvent, AgentHooksError } from '../../src/index.ts';
import { canariesIn } from './canary.ts';
import type { Leg } from './leg.ts';
import type { Forbidden, World } from './world.ts';

/** One place in which words were found, and when. */
interface Place {
  readonly name: string;
  readonly at: number;
  readonly leg: number;
  readonly words: ReadonlySet<string>;
  readonly isDiscarded?: true;
}

/** P5: what was refused, rejected or rewritten can be read nowhere, and feedback only in the next request. */
export async function checkSecrets(world: World): Promise<void> {
  for (const place of placesOf(world)) {
    for (const word of place.words) checkWord(world, place, word);
  }
  checkFeedback(world);
  if (world.script.mode === 'stream live') await checkShown(world);
}

function checkWord(world: World, place: Place, word: string): void {
  if (word.startsWith('zqE') && place.name !== 'a request') {
    world.problem(`P5: an extra message of a request is in ${place.name}`);
  }
  const isFeedback = word.startsWith('zqF');
  if (isFeedback && place.name !== 'a request' && place.name !== 'a state') {
    world.problem(`P5: feedback is in ${place.name}`);
  }
  const reason = world.forbidden.get(word);
  if (reason === undefined || mayBeIn(world, place, reason)) return;
  world.problem(`P5: ${word} (${reason.why}) is in ${place.name}`);
}

function mayBeIn(world: World, place: Place, reason: Forbidden): boolean {
  if (reason.discarded === true && place.isDiscarded === true) return true;
  const isEarlier = place.at < reason.at && ['a state', 'the ledger'].includes(place.name);
  if (reason.before === true && isEarlier) return true;
  if (reason.batch === undefined) return false;
  const isOfRecord = !['a message', 'a request', 'a result'].includes(place.name);
  return isOfRecord || world.failedBatches.has(reason.batch);
}

/** Everything that was written, sent, told or answered. Live deltas are told before any verdict. */
function placesOf(world: World): readonly Place[] {
  const places: Place[] = [];
  for (const entry of world.written) {
    const { at } = entry;
    if (!('changes' in entry)) {
      places.push({ name: 'the ledger', at, leg: -1, words: canariesIn(entry.result) });
      continue;
    }
    const { leg, changes } = entry;
    const { state, messages, events, ledger, approvals, memory } = changes;
    places.push({ name: 'a state', at, leg, words: canariesIn(state) });
    places.push({ name: 'a message', at, leg, words: canariesIn(messages) });
    places.push({ name: 'the ledger', at, leg, words: canariesIn(ledger) });
    places.push({ name: 'an approval', at, leg, words: canariesIn(approvals) });
    places.push({ name: 'a memory', at, leg, words: canariesIn(memory) });
    for (const event of events) places.push(eventPlace(event, 'a stored event', { at, leg }));
  }
  for (const { at, leg, request } of world.requests) {
    places.push({ name: 'a request', at, leg, words: canariesIn(request.messages) });
  }
  for (const leg of world.legs) places.push(...legPlaces(leg));
  return places;
}

function legPlaces({ process, ending }: Leg): Place[] {
  const at = { at: Number.POSITIVE_INFINITY, leg: process.leg };
  const places = [
    ...process.heard.filter(isVerdictual).map((event) => eventPlace(event, 'an event', at)),
    ...process.streamed
      .filter(isVerdictual)
      .map((event) => eventPlace(event, 'a streamed event', at)),
  ];
  if (typeof ending === 'string' || 'thrown' in ending) return places;
  const { result } = ending;
  const error = result.status === 'failed' ? messagesOf(result.error) : [];
  return [...places, { name: 'a result', ...at, words: canariesIn([result, error]) }];
}

/** The texts of an error; what caused it is the app's own. */
function messagesOf(error: unknown): readonly string[] {
  return AgentHooksError.isInstance(error) ? [error.message] : [String(error)];
}

function isVerdictual(event: AgentEvent): boolean {
  return event.type !== 'llm.delta';
}

function eventPlace(
  event: AgentEvent,
  name: string,
  at: { readonly at: number; readonly leg: number },
): Place {
  const isDiscarded = 'discarded' in event && event.discarded === true;
  return { name, ...at, words: canariesIn(event), ...(isDiscarded && { isDiscarded: true }) };
}

/** Feedback is delivered in one request of a process, and no later commit of that process holds it. */
function checkFeedback(world: World): void {
  const given = new Map<string, { readonly at: number; readonly text: string }>();
  for (const { at, leg, request } of world.requests) {
    const text = JSON.stringify(request.messages);
    for (const word of canariesIn(text)) {
      if (!word.startsWith('zqF')) continue;
      const before = given.get(`${leg} ${word}`);
      if (before === undefined) given.set(`${leg} ${word}`, { at, text });
      else if (before.text !== text) world.problem('P5: feedback is in two requests');
    }
  }
  let last: { readonly [key: string]: unknown } = {};
  for (const entry of world.written) {
    if (!('changes' in entry)) continue;
    last = entry.changes.state;
    for (const word of canariesIn(entry.changes.state)) {
      const delivered = given.get(`${entry.leg} ${word}`);
      if (delivered !== undefined && delivered.at < entry.at)
        world.problem('P5: feedback is kept after its delivery');
    }
  }
  if ([...canariesIn(last)].some((word) => word.startsWith('zqF')))
    world.problem('P5: feedback is left in the state');
}

/** In a live stream, what was shown is said, kept, or taken back. */
async function checkShown(world: World): Promise<void> {
  const messages = canariesIn(await world.store.readMessages('t'));
  const events = world.legs.flatMap(({ process }) => process.heard);
  if (
    world.legs.some(({ process }) =>
      process.struck.some((what) => what !== 'abort' && what !== 'cancel'),
    )
  )
    return;
  let shown = new Set<string>();
  let text = '';
  for (const event of events) {
    if (event.type === 'llm.requested') text = '';
    if (event.type === 'text.retracted') [shown, text] = [new Set(), ''];
    if (event.type !== 'llm.delta' || event.kind !== 'text') continue;
    text += event.text;
    for (const word of canariesIn(text)) shown.add(word);
  }
  for (const word of shown) {
    if (!messages.has(word))
      world.problem(`P5: ${word} was shown and is neither kept nor taken back`);
  }
}
