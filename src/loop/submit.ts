import { ThreadError, UnknownThreadError } from '../errors/thread-error.ts';
import { failureOutput } from '../errors/tool-failure.ts';
import { ToolResultError } from '../errors/tool-result-error.ts';
import { isThenable } from '../internal/is-thenable.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { SubmittedToolResult, ToolResult } from '../protocol/tool.ts';
import { givesJson } from '../tools/output-port.ts';
import type { LoopEvent } from './event.ts';
import { succeeded } from './execute-call.ts';
import { endOfUnlisted, hostCallsOf, hostKeyOf } from './host-calls.ts';
import type { SubmittedResult } from './host-state.ts';
import type { RunResult } from './result.ts';
import { outputGiven, requireOutput } from './run.ts';
import type { Session } from './session.ts';
import { settleCheck } from './settle-check.ts';
import type { Phase } from './state.ts';
import { type ThreadRun, withThread } from './with-thread.ts';

/**
 * Takes what came of the calls that the host ran. There has to be exactly one result for each that is listed, or none is
 * taken and a `ToolResultError` says why. Of one that is not listed any more the host may have a result all the same.
 */
export function submitResults(
  run: ThreadRun,
  results: readonly SubmittedToolResult[],
): Promise<RunResult> {
  return withThread(run, async (session, stored): Promise<LoopEvent> => {
    if (stored === undefined) throw new UnknownThreadError(run.threadId);
    const { phase } = session.state;
    if (phase.name !== 'awaiting-tools') throw notAwaited(run.threadId);
    requireOutput(session);
    matchResults(session, phase, results);
    session.values?.ensureFit();
    const read: SubmittedResult[] = [];
    for (const given of results) {
      const result = await readResult(session, phase, given);
      if (result === 'cancelled') return { type: 'turn.cancelled' };
      read.push({ callId: given.callId, result });
    }
    for (const { callId } of phase.handed)
      if (!results.some((given) => given.callId === callId))
        read.push({ callId, result: endOfUnlisted(callId, phase, session) });
    return { type: 'tools.submitted', results: read, tick: session.now(), ...outputGiven(session) };
  });
}

type Awaiting = Extract<Phase, { readonly name: 'awaiting-tools' }>;

function matchResults(
  session: Session,
  phase: Awaiting,
  results: readonly SubmittedToolResult[],
): void {
  const open = new Set(phase.handed.map(({ callId }) => callId));
  const seen = new Set<string>();
  for (const { callId, idempotencyKey } of results) {
    if (!open.has(callId)) throw new ToolResultError('unknown', callId);
    if (idempotencyKey !== undefined && idempotencyKey !== hostKeyOf(callId, session))
      throw new ToolResultError('foreign', callId);
    if (seen.has(callId)) throw new ToolResultError('duplicate', callId);
    seen.add(callId);
  }
  for (const { callId } of hostCallsOf(session, phase))
    if (!seen.has(callId)) throw new ToolResultError('missing', callId);
}

/** An output is held against the schema of the tool as it is now; the words of an error are the host's own. */
function readResult(
  session: Session,
  { batch }: Awaiting,
  given: SubmittedToolResult,
): MaybePromise<ToolResult | 'cancelled'> {
  const { callId } = given;
  if ('error' in given)
    return Object.freeze({ outcome: 'failed', isError: true, output: failureOutput(given.error) });
  const toolName = batch.calls.find((call) => call.callId === callId)?.toolName ?? '';
  const read = session.ports.tools.get(toolName)?.readResult;
  if (read === undefined) throw new ToolResultError('unknown-tool', callId);
  const isJson = givesJson(read);
  const misfit = (): never => {
    throw new ToolResultError('invalid-output', callId);
  };
  try {
    const output = read(given.output);
    if (!isThenable(output)) return succeeded(output, isJson);
    const reading = Promise.resolve(output).then((late) => succeeded(late, isJson));
    return settleCheck<ToolResult | undefined>(reading, session, () => undefined).then(
      (result) => result ?? misfit(),
    );
  } catch {
    // What the schema threw may quote what it checked.
    return misfit();
  }
}

function notAwaited(threadId: string): ThreadError {
  return new ThreadError('nothing-to-continue', {
    where: `thread '${threadId}'`,
    what: 'no call of it waits for a result of the host',
    fix: 'Results count once. Answer approvals, and go on with what an ended process left, with `resume`',
  });
}
