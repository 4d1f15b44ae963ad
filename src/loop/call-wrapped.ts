import type { ChainVerdict, Moment } from '../hooks/gate.ts';
import type { ChatModel, ModelRequest, ModelResponse } from '../models/port.ts';
import type { ChatRequest } from '../protocol/chat.ts';
import { collectStream, type StreamReader } from './collect-stream.ts';
import { type Bill, PaidCall } from './paid-call.ts';
import type { Session } from './session.ts';
import type { OpenTurn } from './state.ts';

/** A request that a policy put in place was refused when it was judged: the model was not called with it. */
export class RequestRefused {
  readonly type = 'refused';
  readonly verdict: BlockVerdict;

  constructor(verdict: BlockVerdict) {
    this.verdict = verdict;
  }
}

type BlockVerdict = Extract<ChainVerdict<ChatRequest>, { readonly type: 'block' }>;

/**
 * Calls the model through the policies around it, and reads what the outermost gives as one answer. Its usage is
 * what was really called: what a policy says of usage is not. Rejects with a `HookError`, or what the model threw.
 */
export async function callWrapped(
  call: {
    readonly request: ChatRequest;
    readonly model: ChatModel;
    readonly moment: Moment;
    readonly streams: boolean;
    readonly turn: OpenTurn;
    readonly session: Session;
    readonly bill: Bill;
    readonly toModel: (request: ChatRequest) => ModelRequest;
  },
  reader: StreamReader,
): Promise<ModelResponse | RequestRefused> {
  const { turn, session, model, streams, bill, toModel } = call;
  const wrapped = session.gateFor(turn.turnId).llmCall(
    call.request,
    (request) =>
      new PaidCall({
        request: toModel(request),
        session,
        model,
        streams,
        bill,
        onRetry: ({ reason, attempt, delayMs }) =>
          session.record(
            { type: 'llm.retrying', reason, attempt, delayMs },
            turn.turnId,
            turn.step,
          ),
      }),
    call.moment,
  );
  try {
    const answer = await collectStream(() => wrapped.parts, reader);
    const name = answer.model ?? bill.model;
    return { ...answer, usage: bill.usage, ...(name !== undefined && { model: name }) };
  } catch (error) {
    const { ending } = wrapped;
    if (ending?.type === 'block') return new RequestRefused(ending);
    throw ending?.type === 'failed' ? ending.error : error;
  } finally {
    wrapped.close();
  }
}
