import { ToolError } from '../errors/tool-error.ts';
import { CancelScope } from '../internal/cancel-scope.ts';
import { deepFreeze } from '../internal/deep-freeze.ts';
import { isThenable } from '../internal/is-thenable.ts';
import { redactSecrets } from '../internal/redact-secrets.ts';
import type { JsonValue } from '../protocol/json.ts';
import type { ToolResult } from '../protocol/tool.ts';
import type { ToolContext, ToolPort } from '../tools/port.ts';
import { recordLate } from './perform-commit.ts';
import type { Session } from './session.ts';
import type { BatchCall, OpenTurn } from './state.ts';

const MAX_ERROR_CHARS = 500;

/** Runs one tool to one result, whatever it does: returns, throws, hangs past its limit, or ignores a cancel. */
export function executeCall(
  call: BatchCall,
  session: Session,
  place: { readonly turn: OpenTurn; readonly attempt: number },
): ToolResult | Promise<ToolResult> {
  const tool = session.ports.tools.get(call.toolName);
  if (tool === undefined) return failure('unknown-tool', 'the tool is no longer there');
  const ctx = new CallContext(call, session, place);
  try {
    const answer = tool.run(call.effectiveInput, ctx);
    return isThenable(answer) ? settle(answer, { call, tool, session, ctx }) : succeeded(answer);
  } catch (error) {
    return thrown(error);
  }
}

interface Running {
  readonly call: BatchCall;
  readonly tool: ToolPort<never>;
  readonly session: Session;
  readonly ctx: CallContext;
}

/** Waits for the tool, its time limit or the cancel. What comes after that is recorded as late, never applied. */
function settle(answer: PromiseLike<JsonValue>, running: Running): Promise<ToolResult> {
  const { call, tool, session, ctx } = running;
  return new Promise((resolve) => {
    let open = true;
    const timers: NodeJS.Timeout[] = [];
    // A turn that is cancelled already ends the call before there is a listener to stop.
    let stop = (): unknown => undefined;
    const end = (result: ToolResult): void => {
      if (!open) return;
      open = false;
      for (const timer of timers) clearTimeout(timer);
      stop();
      resolve(result);
    };
    const giveUp = (why: 'cancelled' | 'timed-out'): void => {
      ctx.cancel(why);
      if (call.sideEffects !== 'once')
        end(failure(why === 'cancelled' ? 'cancelled' : 'failed', LOST[why]));
      else
        timers.push(
          setTimeout(
            () => end({ outcome: 'unknown', isError: true, output: LOST.unknown }),
            session.ports.cancelGraceMs,
          ),
        );
    };
    stop = session.options.cancel.onCancel(() => giveUp('cancelled'));
    if (open && tool.timeoutMs !== undefined)
      timers.push(setTimeout(() => giveUp('timed-out'), tool.timeoutMs));
    answer.then(
      (output) => (open ? end(succeeded(output)) : late(running, succeeded(output))),
      (error: unknown) => {
        // A `once` tool that was told to stop and failed may have done half of its work.
        const result =
          ctx.wasCancelled && call.sideEffects === 'once' ? UNKNOWN_AFTER_CANCEL : thrown(error);
        if (open) end(result);
        else late(running, result);
      },
    );
  });
}

const LOST = {
  cancelled: 'Cancelled by user',
  'timed-out': 'Tool timed out',
  unknown:
    'Outcome unknown: the call was still running when it was given up. Do not repeat it before that has been checked',
} as const;

const UNKNOWN_AFTER_CANCEL: ToolResult = Object.freeze({
  outcome: 'unknown',
  isError: true,
  output: LOST.unknown,
});

function late(running: Running, result: ToolResult): void {
  if (running.call.sideEffects === 'once' && result.outcome !== 'unknown') {
    void recordLate(running.session, running.call.callId, result);
  }
}

function succeeded(output: JsonValue): ToolResult {
  return Object.freeze({ outcome: 'succeeded', isError: false, output: deepFreeze(output) });
}

function thrown(error: unknown): ToolResult {
  if (ToolError.isInstance(error) && error instanceof ToolError)
    return failure('failed', error.forModel);
  const text = error instanceof Error ? error.message : 'it threw something that is no error';
  return failure(
    'failed',
    `Tool failed: ${redactSecrets(text).slice(0, MAX_ERROR_CHARS).toWellFormed()}`,
  );
}

function failure(outcome: ToolResult['outcome'], output: string): ToolResult {
  return Object.freeze({ outcome, isError: true, output });
}

/** What a running tool may read. Its signal is made when it asks for it. */
class CallContext implements ToolContext<never> {
  readonly threadId: string;
  readonly turnId: string;
  readonly callId: string;
  readonly toolName: string;
  readonly attempt: number;
  readonly context: never;
  readonly #session: Session;
  readonly #step: number;
  readonly #scope = new CancelScope();

  constructor(
    call: BatchCall,
    session: Session,
    place: { readonly turn: OpenTurn; readonly attempt: number },
  ) {
    this.threadId = session.threadId;
    this.turnId = place.turn.turnId;
    this.callId = call.callId;
    this.toolName = call.toolName;
    this.attempt = place.attempt;
    this.context = session.options.context as never; // the type of the app's context is between the app and its tools
    this.#session = session;
    this.#step = place.turn.step;
  }

  get idempotencyKey(): string {
    return this.#session.digest.of({ thread: this.threadId, call: this.callId });
  }

  get signal(): AbortSignal {
    return this.#scope.signal;
  }

  get wasCancelled(): boolean {
    return this.#scope.cancelled;
  }

  readonly progress = (data: JsonValue): void => {
    const { callId, toolName } = this;
    this.#session.record(
      { type: 'tool.progress', callId, toolName, data },
      this.turnId,
      this.#step,
    );
  };

  cancel(reason: string): void {
    this.#scope.cancel(new DOMException(reason, 'AbortError'));
  }
}
