import { failureOutput } from '../errors/tool-failure.ts';
import { SUSPENDED } from '../hooks/wrapped-results.ts';
import type { Writable } from '../internal/writable.ts';
import type { HostCall, ToolResult } from '../protocol/tool.ts';
import { endOfChanged } from './guard-call.ts';
import type { HandedCall, SubmittedResult } from './host-state.ts';
import { storedInput, wholeInput } from './locks.ts';
import { presentResult } from './present-result.ts';
import type { Session } from './session.ts';
import type { BatchCall, FinishedCall, Phase } from './state.ts';

/** The calls of one batch that the host runs, while the others run. */
export class HostCalls {
  readonly #submitted: ReadonlyMap<string, ToolResult>;
  readonly #session: Session;
  readonly #handed = new Map<string, HandedCall>();

  constructor(session: Session, submitted: readonly SubmittedResult[] = []) {
    this.#submitted = new Map(submitted.map(({ callId, result }) => [callId, result]));
    this.#session = session;
  }

  /** What the host gave for it; without that it waits, with the input that the policies around it let through. */
  run({ callId, toolName, effectiveInput }: BatchCall): ToolResult {
    const given = this.#submitted.get(callId);
    if (given !== undefined) return given;
    const { options, ports } = this.#session;
    if (options.above !== undefined) return NO_HOST;
    const input = storedInput(ports.tools.get(toolName), effectiveInput);
    this.#handed.set(callId, { callId, input });
    return SUSPENDED;
  }

  given(callId: string): ToolResult | undefined {
    return this.#submitted.get(callId);
  }

  /**
   * How a call ends that would wait, but that others of its batch have changed what is filled into it: nobody has judged
   * it with that. Nothing for any other.
   */
  async endOfChanged(
    one: FinishedCall,
    call: BatchCall | undefined,
  ): Promise<FinishedCall | undefined> {
    const handed = one.result === SUSPENDED ? this.#handed.get(one.callId) : undefined;
    if (handed === undefined || call === undefined) return undefined;
    const asHanded = { ...call, effectiveInput: handed.input };
    const result = await endOfChanged(asHanded, this.#session);
    if (result === undefined) return undefined;
    const { callId, durationMs, started } = one;
    const ended: Writable<FinishedCall> = { callId, result, durationMs, started };
    presentResult(ended, call, this.#session);
    return ended;
  }

  /** Those of the calls that wait, in the order of the batch. */
  handed(calls: readonly BatchCall[], waiting: ReadonlySet<string>): readonly HandedCall[] {
    return calls.flatMap(({ callId }) => {
      const handed = waiting.has(callId) ? this.#handed.get(callId) : undefined;
      return handed === undefined ? [] : [handed];
    });
  }
}

const NO_HOST: ToolResult = Object.freeze({
  outcome: 'failed',
  isError: true,
  output: failureOutput('The tool did not run: a host runs it, and a subagent has none'),
});

/** What the host is told of the calls that wait for it. */
export function hostCallsOf(
  session: Session,
  { batch, handed }: Extract<Phase, { readonly name: 'awaiting-tools' }>,
): readonly HostCall[] {
  return handed.flatMap(({ callId, input }): HostCall[] => {
    const call = batch.calls.find((one) => one.callId === callId);
    if (call === undefined) return [];
    const { providerCallId, toolName, displayName, sideEffects } = call;
    const idempotencyKey = session.digest.of({ thread: session.threadId, call: callId });
    const whole = wholeInput(session.ports.tools.get(toolName), input, session);
    return [
      Object.freeze({
        callId,
        providerCallId,
        toolName,
        displayName,
        sideEffects,
        input: whole,
        idempotencyKey,
      }),
    ];
  });
}
