import type { CancelScope } from '../internal/cancel-scope.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import { type Release, type Slots, takeFree, waitFor } from '../internal/slots.ts';
import type { ToolResult } from '../protocol/tool.ts';
import type { ToolPort } from '../tools/port.ts';
import { CallFacts } from './call-facts.ts';
import { CANCELLED, NOT_STARTED } from './call-outcomes.ts';
import { isChildTool } from './child-tool.ts';
import { intentOf, type OutcomeSaver } from './outcome-saver.ts';
import type { Ports } from './ports.ts';
import type { Session } from './session.ts';
import type { BatchCall } from './state.ts';

/**
 * True for a tool whose calls wait for a slot. A subagent is none: what it runs are calls of its own, and a call that
 * held a slot while it waited for calls below it could wait for itself. Nor is what the host runs.
 */
export function isCapped({ toolName }: { readonly toolName: string }, { ports }: Session): boolean {
  return hasSlots(ports.tools.get(toolName), ports);
}

function hasSlots(
  tool: ToolPort<never> | undefined,
  { toolSlots }: Pick<Ports, 'toolSlots'>,
): boolean {
  if (tool === undefined || (toolSlots === undefined && tool.slots === undefined)) return false;
  return tool.readResult === undefined && !isChildTool(tool);
}

/** True where the ledger is to know of a call's start only when it has its slot. */
export function defersIntent(tool: ToolPort<never> | undefined, { ports }: Session): boolean {
  return tool?.sideEffects === 'once' && hasSlots(tool, ports);
}

/** The slots of one call, given back once the call has its result and what it runs has ended, whichever is later. */
export class CallSlots {
  #release: Release | undefined;
  #body: Promise<unknown> | undefined;

  hold(release: Release): void {
    this.#release = release;
  }

  /** A tool that is given up on goes on until it ends, and counts as long as it does. */
  keepUntil(body: Promise<unknown>): void {
    this.#body = body;
  }

  leave(): void {
    const release = this.#release;
    if (release === undefined) return;
    const body = this.#body;
    if (body === undefined) release();
    // A promise of the app's may have a `then` that throws.
    else new Promise((resolve) => resolve(body)).then(release, release);
  }
}

/**
 * Runs a call once it has its slots. Policies have judged it by then; what is locked is filled and its precheck asked
 * with the slot in hand, so nothing that they looked at is as old as the wait. The ledger knows of no start before.
 */
export async function runCapped(
  call: BatchCall,
  place: { readonly session: Session; readonly saver: OutcomeSaver },
  run: (slots: CallSlots) => MaybePromise<ToolResult>,
): Promise<ToolResult> {
  const { session } = place;
  const slots = new CallSlots();
  const since = session.now();
  try {
    const limits = limitsOf(call, session);
    const release = takeFree(limits) ?? (await nextTurn(limits, session.options.cancel));
    if (release === undefined) return CANCELLED;
    slots.hold(release);
    const instead = (await storeIntent(call, place)) ?? mayNotStart(place);
    noteWait(call, session, since);
    return instead ?? (await run(slots));
  } finally {
    slots.leave();
  }
}

/** The agent's before the tool's, which is the order in which a tool that runs an agent comes to more of them. */
function limitsOf({ toolName }: BatchCall, { ports }: Session): readonly Slots[] {
  return [ports.toolSlots, ports.tools.get(toolName)?.slots].filter((limit) => limit !== undefined);
}

function nextTurn(limits: readonly Slots[], cancel: CancelScope): Promise<Release | undefined> {
  return new Promise((resolve) => {
    const onCancel = (): void => {
      leave();
      resolve(undefined);
    };
    const leave = waitFor(limits, (release) => {
      cancel.unlisten(onCancel);
      resolve(release);
    });
    cancel.listen(onCancel);
  });
}

/** Stored once a call, however often a policy has it run (L8). */
async function storeIntent(
  call: BatchCall,
  place: { readonly session: Session; readonly saver: OutcomeSaver },
): Promise<ToolResult | undefined> {
  const { session, saver } = place;
  if (call.defersIntent !== true || session.callFacts?.begun.has(call.callId)) return undefined;
  const instead = mayNotStart(place);
  if (instead !== undefined) return instead;
  await saver.save([intentOf(call)]);
  if (!saver.failed) factsOf(session).begun.add(call.callId);
  return undefined;
}

/** The turn may have been cancelled, and the thread lost to another process, while the call waited. */
function mayNotStart({
  session,
  saver,
}: {
  readonly session: Session;
  readonly saver: OutcomeSaver;
}): ToolResult | undefined {
  if (session.options.cancel.cancelled) return CANCELLED;
  return saver.failed ? NOT_STARTED : undefined;
}

/** The wait is no time of the tool's. */
function noteWait({ callId }: BatchCall, session: Session, since: number): void {
  const { waitedMs } = factsOf(session);
  waitedMs.set(callId, (waitedMs.get(callId) ?? 0) + session.now() - since);
}

function factsOf(session: Session): CallFacts {
  session.callFacts ??= new CallFacts();
  return session.callFacts;
}
