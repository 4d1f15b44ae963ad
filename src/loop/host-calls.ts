import { failureOutput } from '../errors/tool-failure.ts';
import { SUSPENDED } from '../hooks/wrapped-results.ts';
import { jsonEqual } from '../internal/json-equal.ts';
import type { Writable } from '../internal/writable.ts';
import type { HostCall, ToolResult } from '../protocol/tool.ts';
import type { ToolPort } from '../tools/port.ts';
import { MAY_HAVE_RUN } from './await-host.ts';
import { CHANGED } from './check-call.ts';
import { CHANGED_LOCKS, endOfChanged } from './guard-call.ts';
import type { HandedCall, SubmittedResult } from './host-state.ts';
import { locksOf, storedInput, wholeInput } from './locks.ts';
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
  run(call: BatchCall): ToolResult {
    const { callId, toolName, effectiveInput } = call;
    const given = this.#submitted.get(callId);
    if (given !== undefined) return given;
    const { options, ports } = this.#session;
    if (options.above !== undefined) return NO_HOST;
    const tool = ports.tools.get(toolName);
    if (hasChanged(tool, call)) return CHANGED_TOOL;
    const input = storedInput(tool, effectiveInput);
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

/** Nobody has judged, and nobody has approved, what the tool is now. One that is gone may come back. */
function hasChanged(tool: ToolPort<never> | undefined, { toolVersion }: BatchCall): boolean {
  return tool !== undefined && tool.version !== toolVersion;
}

const CHANGED_TOOL: ToolResult = Object.freeze({
  outcome: 'invalid',
  isError: true,
  output: failureOutput(CHANGED),
});

type Awaiting = Extract<Phase, { readonly name: 'awaiting-tools' }>;

/**
 * What the host is told of the calls that wait for it. One whose tool is of another version than what was judged, or
 * into which something else would be filled now, is not among them: nobody has judged what the host would run.
 */
export function hostCallsOf(session: Session, { batch, handed }: Awaiting): readonly HostCall[] {
  return handed.flatMap(({ callId, input }): HostCall[] => {
    const call = batch.calls.find((one) => one.callId === callId);
    if (call === undefined) return [];
    const { providerCallId, toolName, displayName, sideEffects } = call;
    const tool = session.ports.tools.get(toolName);
    if (hasChanged(tool, call)) return [];
    const whole = wholeInput(tool, input, session);
    const locks = tool && locksOf(tool, whole, session);
    if (!jsonEqual(locks, call.locks)) return [];
    const idempotencyKey = hostKeyOf(callId, session);
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

/** By which a result is known to be for a call of this thread. */
export function hostKeyOf(callId: string, { digest, threadId }: Session): string {
  return digest.of({ thread: threadId, call: callId });
}

/** How a call ends that is not listed any more, and of which the host says nothing: it may have been listed before. */
export function endOfUnlisted(callId: string, { batch }: Awaiting, { ports }: Session): ToolResult {
  const call = batch.calls.find((one) => one.callId === callId);
  if (call === undefined) return CHANGED_LOCKS;
  // A call that is made anew has another key, by which the host cannot know that it has done this one.
  if (call.sideEffects !== 'none') return MAY_HAVE_RUN;
  return hasChanged(ports.tools.get(call.toolName), call) ? CHANGED_TOOL : CHANGED_LOCKS;
}
