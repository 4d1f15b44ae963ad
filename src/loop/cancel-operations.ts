import { describeThrown } from '../internal/describe-thrown.ts';
import type { Effect } from './effect.ts';
import { CallContext } from './execute-call.ts';
import type { Session } from './session.ts';
import type { LetGo, OpenTurn } from './state.ts';

/** Milliseconds a tool has to give an operation up. */
const MAX_CANCEL_MS = 5_000;

/** Has the tools give up what will not be carried out. Never rejects, and a tool that cannot is told of as an error. */
export async function cancelOperations(
  { turn, dropped }: Extract<Effect, { readonly type: 'cancel-operations' }>,
  session: Session,
): Promise<undefined> {
  await Promise.all(dropped.map((one) => cancelOperation(one, turn, session)));
  return undefined;
}

async function cancelOperation(
  { call, reason }: LetGo,
  turn: OpenTurn,
  session: Session,
): Promise<void> {
  const { operation, callId } = call;
  if (operation === undefined) return;
  const { operationId } = operation;
  const ctx = new CallContext(call, session, { turn, attempt: 1, readsOnly: true });
  let timer: NodeJS.Timeout | undefined;
  try {
    const port = session.ports.tools.get(call.toolName)?.operation;
    if (port === undefined) throw new TypeError('the tool is no longer there');
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new TypeError('it took too long')), MAX_CANCEL_MS);
    });
    // `async`, so that what it throws at once is a rejection too.
    const cancelling = (async () => port.cancel({ operationId, reason }, ctx))();
    await Promise.race([cancelling, late]);
  } catch (error) {
    const { name } = describeThrown(error);
    const code = 'operation-not-cancelled';
    session.record(
      { type: 'error.raised', code, name, details: { callId } },
      turn.turnId,
      turn.step,
    );
  } finally {
    clearTimeout(timer);
    ctx.end();
    ctx.cancel('over');
  }
}
