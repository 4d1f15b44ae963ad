import { StoreAccessError, type StoreFailure } from '../../errors/store-error.ts';
import { codeOf, isBrokenConnection, plainCause } from '../remote/plain-cause.ts';
import { DeadlineError } from '../remote/with-deadline.ts';

/** What the server said no to, by its five-character state; or the network, as Node tells it. */
export function postgresFailure(error: unknown, where: string): StoreAccessError {
  return new StoreAccessError(failureOf(error), where, { cause: plainCause(error) });
}

function failureOf(error: unknown): StoreFailure {
  if (error instanceof DeadlineError || isGivenUp(error)) return 'timeout';
  if (isLost(error)) return 'unreachable';
  const code = codeOf(error) ?? '';
  if (LOST_RACES.has(code)) return 'busy';
  return FAILURES.get(code) ?? FAILURES.get(code.slice(0, 2)) ?? 'failed';
}

/** True where the same statement may succeed on another connection or a moment later. */
export function mayPass(error: unknown): boolean {
  return isLost(error) || isReadOnly(error) || LOST_RACES.has(codeOf(error) ?? '');
}

/** The server of this connection takes no writes: another has taken over from it, which a new connection may find. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === '25006';
}

/** The connection is gone, or was never made. Nobody knows then whether the statement was done. */
export function isLost(error: unknown): boolean {
  if (isBrokenConnection(error)) return true;
  const code = codeOf(error);
  // The driver has no code for these.
  if (code === undefined) return error instanceof Error && DRIVER_LOST.test(error.message);
  return code.startsWith('08') || SERVER_GOES.has(code);
}

/** The `query_timeout` of the app's own pool. Nobody knows then whether the statement was done. */
function isGivenUp(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}

const DRIVER_LOST =
  /^(?:Connection terminated|timeout e(?:xceeded|xpired)|Client has encountered a connection error)/i;

/** The server stops, starts, ended this connection, also as idle too long in a transaction, or has no room for it. */
const SERVER_GOES: ReadonlySet<string> = new Set([
  ...['57P01', '57P02', '57P03', '57P05', '53300', '25P03'],
]);

/** A race that the server settled by undoing this side. */
const LOST_RACES: ReadonlySet<string> = new Set(['40001', '40P01']);

/** By state, or by the class of states. */
const FAILURES: ReadonlyMap<string, StoreFailure> = new Map([
  ['53100', 'full'],
  ['53200', 'full'],
  ['53400', 'full'],
  ['55P03', 'busy'],
  // No right to do it.
  ['42501', 'failed'],
  ['57014', 'timeout'],
  ['25P04', 'timeout'],
  // Damage, and tables that are not as this store made them.
  ['XX001', 'unreadable'],
  ['XX002', 'unreadable'],
  ['42', 'unreadable'],
]);
