import { OperationError } from '../errors/operation-error.ts';
import { failureOf } from '../errors/tool-failure.ts';
import { jsonEqual } from '../internal/json-equal.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { ToolResult } from '../protocol/tool.ts';
import { notRunNow } from './call-outcomes.ts';
import { cancelOperations } from './cancel-operations.ts';
import type { Effect } from './effect.ts';
import { type ExecutionPlace, executeCall } from './execute-call.ts';
import { storedInput } from './locks.ts';
import type { Session } from './session.ts';
import type { BatchCall, LetGo } from './state.ts';

/** The calls of a batch whose operations have been carried out, or may have been, by their ids. */
export type Executed = Set<string>;

/** Carries out what was prepared and judged, as long as it is that (L12). */
export function executeOperation(
  call: BatchCall,
  session: Session,
  place: ExecutionPlace & { readonly executed: Executed },
): MaybePromise<ToolResult> {
  const tool = session.ports.tools.get(call.toolName);
  const prepared = call.operation?.prepared;
  const isThere = tool?.operation !== undefined && tool.version === call.toolVersion;
  const input = storedInput(tool, call.effectiveInput);
  if (!isThere || prepared === undefined || !jsonEqual(call.operation?.input, input))
    return notRunNow(refused('operation-stale', call, session), call, place);
  const { expiresAt = Number.POSITIVE_INFINITY } = prepared;
  const begin = (): ToolResult | undefined => {
    if (expiresAt <= session.ports.clock.now())
      return notRunNow(refused('operation-expired', call, session), call, place);
    place.executed.add(call.callId);
    return undefined;
  };
  return executeCall(call, session, { ...place, begin });
}

function refused(
  code: 'operation-stale' | 'operation-expired',
  { callId, toolName }: BatchCall,
  session: Session,
): ToolResult {
  const error = new OperationError(code);
  const { output, eventText = '' } = failureOf(toolName, error);
  session.noteFailure(callId, { error, eventText });
  return Object.freeze({ outcome: 'failed', isError: true, output });
}

/** Gives up the operations of a batch that has run without them. */
export function giveUpRest(
  { turn, calls, finished = [] }: Extract<Effect, { readonly type: 'run-tools' }>,
  executed: Executed,
  session: Session,
): Promise<undefined> | undefined {
  const isOver = ({ callId }: BatchCall): boolean =>
    executed.has(callId) || finished.some((one) => one.callId === callId);
  const dropped = calls.flatMap((call): LetGo[] =>
    call.operation === undefined || call.refusal !== undefined || isOver(call)
      ? []
      : [{ call, reason: 'dropped' }],
  );
  return dropped.length === 0
    ? undefined
    : cancelOperations({ type: 'cancel-operations', turn, dropped }, session);
}

/** The same event, when what the batch has not carried out is given up. */
export async function afterGivingUp<Event>(
  running: MaybePromise<Event>,
  giveUp: () => Promise<undefined> | undefined,
): Promise<Event> {
  const event = await running;
  await giveUp();
  return event;
}
