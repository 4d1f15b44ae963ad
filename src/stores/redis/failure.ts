import { StoreAccessError, type StoreFailure } from '../../errors/store-error.ts';
import { describeThrown } from '../../internal/describe-thrown.ts';
import { isBrokenConnection, plainCause } from '../remote/plain-cause.ts';
import { DeadlineError } from '../remote/with-deadline.ts';

/** Where a request failed, and over which connection. */
interface FailurePlace {
  readonly where: string;
  readonly isCluster: boolean;
  /** What broke the connection last, if the client told of it and nothing was answered since. */
  readonly broken: unknown;
}

/** What the server said no to, by the first word of its answer; or the network, as Node tells it. */
export function redisFailure(
  error: unknown,
  { where, isCluster, broken }: FailurePlace,
): StoreAccessError {
  // The client says no more to a request it gives up than how often it has tried.
  const hasReason = broken !== undefined && GIVEN_UP.test(describeThrown(error).text);
  const cause = plainCause(hasReason ? broken : error);
  // The one answer that repeats what it was given, and the ones that name a server.
  cause.message = cause.message
    .replace(/, with args beginning with.*/s, '')
    .replace(/\b(MOVED|ASK) .*/s, '$1');
  if (!isCluster && isElsewhere(error)) {
    return new StoreAccessError('failed', where, { what: ONE_NODE, cause });
  }
  return new StoreAccessError(failureOf(error), where, { cause });
}

const ONE_NODE =
  'its server is one node of a cluster: give a `Cluster` of `ioredis` as `client`, which knows all of them';

function failureOf(error: unknown): StoreFailure {
  if (error instanceof DeadlineError) return 'timeout';
  if (isLost(error) || isElsewhere(error)) return 'unreachable';
  if (answerOf(error) === 'MISCONF' && NO_ROOM.test(describeThrown(error).text)) return 'full';
  return FAILURES.get(answerOf(error)) ?? 'failed';
}

/** The server takes no writes while it cannot keep them, and says why. */
const NO_ROOM = /No space left on device/i;

/** True where the same command may succeed on another connection or a moment later. */
export function mayPass(error: unknown, isCluster: boolean): boolean {
  if (isElsewhere(error)) return isCluster;
  return isLost(error) || FAILURES.get(answerOf(error)) === 'busy';
}

/** True where another node of a cluster has the key. A client that knows the cluster follows, but for some of a pipeline. */
function isElsewhere(error: unknown): boolean {
  return ELSEWHERE.has(answerOf(error));
}

const ELSEWHERE: ReadonlySet<string> = new Set(['MOVED', 'ASK']);

function isLost(error: unknown): boolean {
  return (
    isBrokenConnection(error) ||
    CLIENT_LOST.test(describeThrown(error).text) ||
    GOES.has(answerOf(error))
  );
}

/** True where a key does not hold what this store put there. */
export function isWrongType(error: unknown): boolean {
  return answerOf(error) === 'WRONGTYPE';
}

export function isUnknownScript(error: unknown): boolean {
  return answerOf(error) === 'NOSCRIPT';
}

/** True where the server of this connection takes no writes: another has taken over, which a new connection may find. */
export function isReadOnly(error: unknown): boolean {
  return answerOf(error) === 'READONLY';
}

function answerOf(error: unknown): string {
  const { name, text } = describeThrown(error);
  if (name !== 'ReplyError') return '';
  return /^[A-Z]+/.exec(text.replace(IN_SCRIPT, ''))?.[0] ?? '';
}

/** Before version 7 the answer to a command in a script stands after the place in the script. */
const IN_SCRIPT = /^ERR Error running script \(call to \w+\): (?:@\w+: ?\d+: )*-?/;

const GIVEN_UP = /^Reached the max retries per request/;

/** The client has no code for these. The last is of commands sent together, while a slot of one was moving. */
const CLIENT_LOST =
  /^(?:Connection is closed|Reached the max retries per request|connect ETIMEDOUT|Command timed out|Failed to refresh slots|Stream isn't writeable|Socket closed unexpectedly|None of startup nodes is available|Cluster isn't ready|Cluster is (?:ended|disconnect)|Too many Cluster redirections|All keys in the pipeline should belong to)/;

/** The server starts, hands over to another, is no longer the one to write to, or waits for its replicas. */
const GOES: ReadonlySet<string> = new Set([
  'LOADING',
  'READONLY',
  'MASTERDOWN',
  'CLUSTERDOWN',
  'NOREPLICAS',
]);

const FAILURES: ReadonlyMap<string, StoreFailure> = new Map([
  ['OOM', 'full'],
  ['BUSY', 'busy'],
  ['TRYAGAIN', 'busy'],
  ['WRONGTYPE', 'unreadable'],
]);
