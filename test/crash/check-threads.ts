import { type Message, type ThreadStore, toolCallsOf, toolResultsOf } from '../../src/index.ts';
import { type Ended, isStubborn } from './plan.ts';

/** What the files outside the store say happened. */
export interface Witness {
  readonly effects: readonly string[];
  readonly stored: readonly string[];
  readonly rejected: readonly string[];
  readonly ended: readonly Ended[];
}

const RETRY_CAP = 8;

/** Everything that is not as it has to be after the crashes, in words. */
export async function problemsOf(
  store: ThreadStore,
  witness: Witness,
  kills: ReadonlyMap<string, number>,
): Promise<readonly string[]> {
  const problems = doubled(witness.effects).map((key) => `'${key}' was paid twice`);
  for (const one of new Map(witness.ended.map((each) => [each.threadId, each])).values()) {
    problems.push(...(await threadProblems(store, one, witness)));
    problems.push(...streakProblems(one, witness, kills.get(one.threadId) ?? 0));
  }
  return problems;
}

async function threadProblems(
  store: ThreadStore,
  { threadId, status, code }: Ended,
  { stored }: Witness,
): Promise<readonly string[]> {
  const problems: string[] = [];
  const messages = await store.readMessages(threadId);
  const events = await store.readEvents(threadId);
  if (!isStubborn(threadId) && status !== 'completed' && code !== 'attempts-exhausted') {
    problems.push(`${threadId} ended ${status} ${code}`);
  }
  const seqs = events.map(({ seq }) => seq);
  if (doubled(seqs.map(String)).length > 0 || seqs.some((seq, at) => seq <= (seqs[at - 1] ?? 0))) {
    problems.push(`${threadId}: its events are out of order`);
  }
  const starts = events.filter(({ type }) => type === 'turn.started').length;
  const ends = events.filter(({ type }) => type === 'turn.finished').length;
  if (starts !== 1 || ends !== 1) problems.push(`${threadId}: ${starts} starts, ${ends} ends`);
  problems.push(...unbalanced(messages).map((what) => `${threadId}: ${what}`));
  const outcomes = new Map(
    messages.flatMap(toolResultsOf).map(({ callId, outcome }) => [callId, outcome]),
  );
  for (const line of stored) {
    const [thread, callId = ''] = line.split(' ');
    if (thread === threadId && outcomes.get(callId) !== 'succeeded') {
      problems.push(`${threadId}: the result of ${callId} was told and is lost`);
    }
  }
  return problems;
}

/** A streak that was forgotten in a crash would be counted from the start again. */
function streakProblems(
  { threadId, code, streak }: Ended,
  { rejected }: Witness,
  kills: number,
): readonly string[] {
  if (!isStubborn(threadId) || code === 'attempts-exhausted') return [];
  const heard = rejected.filter((thread) => thread === threadId).length;
  const isKept = heard >= RETRY_CAP && heard <= RETRY_CAP + kills;
  if (code === 'response-retry-cap' && streak === RETRY_CAP && isKept) return [];
  // Killed when the end was stored and not yet told: only the code is stored.
  if (code === 'response-retry-cap' && streak === undefined && isKept) return [];
  return [`${threadId}: ${code}, streak ${streak}, ${heard} rejections, ${kills} kills`];
}

/** Each call has exactly one result, in the message after it. */
function unbalanced(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message, at) => {
    const calls = toolCallsOf(message).map(({ callId }) => callId);
    const next = messages[at + 1];
    const results = next === undefined ? [] : toolResultsOf(next).map(({ callId }) => callId);
    const isOrphan = message.role === 'tool' && messages[at - 1]?.role !== 'assistant';
    if (isOrphan) return [`message ${at + 1} answers nothing`];
    if (calls.length === 0 || String(calls) === String(results)) return [];
    return [`calls ${calls} are answered by ${results}`];
  });
}

function doubled(lines: readonly string[]): string[] {
  const seen = new Set<string>();
  return lines.filter((line) => seen.size === seen.add(line).size);
}
