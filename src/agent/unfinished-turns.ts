import { checkKeys } from '../errors/check-keys.ts';
import { ConfigError } from '../errors/config-error.ts';
import { type CorruptRecordError, StoreVersionError } from '../errors/store-error.ts';
import { lookBelow } from '../loop/below.ts';
import type { Ports } from '../loop/ports.ts';
import { readState } from '../loop/read-state.ts';
import { openApprovals } from '../loop/result.ts';
import { type ThreadState, turnOf } from '../loop/state.ts';
import { leaveOut } from '../stores/page.ts';
import type { StoredThread } from '../stores/port.ts';

/** A turn that is stored without an end. */
export interface UnfinishedTurn {
  readonly threadId: string;
  readonly turnId: string;
  /**
   * Whom it waits for: a person (`resume` with answers) or the host (`submitToolResults`). Absent for one that
   * `resume({ threadId })` goes on with: nobody is waited for, or not any more, as what was asked for has expired.
   */
  readonly waitsFor?: 'approval' | 'tools';
}

export interface UnfinishedOptions {
  /** How many threads are listed at a time. Default: 200. */
  readonly pageSize?: number;
  /**
   * Told of each thread that cannot be read: damaged, or written by a newer version of this package. It is left out, and
   * the others are read all the same. Default: a warning of the process (`AGENT_HOOKS_DAMAGED`).
   */
  readonly onDamaged?: (error: CorruptRecordError | StoreVersionError) => void;
}

type Tell = NonNullable<UnfinishedOptions['onDamaged']>;

interface Search {
  readonly ports: Pick<Ports, 'agentName' | 'store' | 'clock'>;
  /** True for a thread that a run of this very agent holds. */
  readonly isLive: (threadId: string) => boolean;
}

const WHERE = 'agent.unfinishedTurns';

const OPTIONS = Object.keys({
  pageSize: true,
  onDamaged: true,
} satisfies Record<keyof UnfinishedOptions, true>);

const DEFAULT_PAGE = 200;

/** Checks the options at once, and reads when it is asked for the first turn. */
export function unfinishedTurns(
  search: Search,
  options: UnfinishedOptions,
): AsyncIterable<UnfinishedTurn> {
  checkKeys(WHERE, options, OPTIONS);
  const { pageSize = DEFAULT_PAGE, onDamaged = warn } = options;
  if (!Number.isSafeInteger(pageSize) || pageSize < 1)
    throw invalid('pageSize', 'is no whole number from 1');
  if (typeof onDamaged !== 'function') throw invalid('onDamaged', 'is no function');
  return turnsOf(search, pageSize, onDamaged);
}

async function* turnsOf(
  search: Search,
  limit: number,
  onDamaged: Tell,
): AsyncGenerator<UnfinishedTurn> {
  const { store } = search.ports;
  let after: string | undefined;
  for (;;) {
    const from = after === undefined ? {} : { after };
    const page = await store.listThreads({ limit, onDamaged, ...from });
    for (const { threadId } of page) {
      // Read when it is this one's turn: what is told is as fresh as it can be without a claim.
      const turn = search.isLive(threadId) ? undefined : await turnOn(threadId, search, onDamaged);
      if (turn !== undefined) yield turn;
    }
    after = page.at(-1)?.threadId;
    if (page.length < limit) return;
  }
}

async function turnOn(
  threadId: string,
  { ports }: Search,
  onDamaged: Tell,
): Promise<UnfinishedTurn | undefined> {
  try {
    const stored = await ports.store.load(threadId);
    // It was deleted since it was listed, or is none of this agent's, which need not be able to read it.
    if (stored === undefined || !isOwn(stored, ports.agentName)) return undefined;
    const state = readState(threadId, stored);
    const turn = state.phase.name === 'finished' ? undefined : turnOf(state.phase);
    if (turn === undefined) return undefined;
    const waitsFor = await waitsForOf(state, ports);
    const { turnId } = turn;
    return Object.freeze({ threadId, turnId, ...(waitsFor !== undefined && { waitsFor }) });
  } catch (error) {
    if (!StoreVersionError.isInstance(error)) return leaveOut(error, onDamaged);
    onDamaged(error);
    return undefined;
  }
}

/** Not that of another agent, and not that of a subagent, which is gone on with by the thread above it (L11). */
function isOwn({ state }: StoredThread, agentName: string): boolean {
  const { agent, parent } = state;
  return parent === undefined && (typeof agent !== 'string' || agent === agentName);
}

/** As `resume` without answers would find it: nobody where it would go on. */
async function waitsForOf(
  state: ThreadState,
  ports: Search['ports'],
): Promise<UnfinishedTurn['waitsFor']> {
  const { phase } = state;
  if (phase.name === 'awaiting-tools') return 'tools';
  if (phase.name === 'awaiting-child')
    return (await lookBelow({ ports, state })).hasMoved ? undefined : 'approval';
  if (phase.name !== 'awaiting-approval') return undefined;
  const now = ports.clock.now();
  const hasExpired = openApprovals(phase.batch).some(
    ({ expiresAt = Number.POSITIVE_INFINITY }) => expiresAt <= now,
  );
  return hasExpired ? undefined : 'approval';
}

/** Left out without a word, nobody would look for it. Its message quotes nothing that was stored. */
function warn(error: CorruptRecordError | StoreVersionError): void {
  process.emitWarning(`a thread cannot be read and was left out: ${error.message}`, {
    code: 'AGENT_HOOKS_DAMAGED',
  });
}

function invalid(option: string, what: string): ConfigError {
  return new ConfigError('invalid-option', {
    where: `${WHERE}: \`${option}\``,
    what,
    fix: 'Correct it, or leave it out',
  });
}
