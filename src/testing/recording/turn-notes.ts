import type { AgentEvent, EventOf } from '../../events/event.ts';
import { HOOK_POINTS } from '../../hooks/points.ts';
import type { RunResult } from '../../loop/result.ts';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import type { Message } from '../../protocol/message.ts';
import { toolCallsOf, toolResultsOf } from '../../protocol/read-content.ts';
import type {
  RecordedDecision,
  RecordedModelCall,
  RecordedStep,
  RecordedToolCall,
  RecordedTurn,
} from './recorded-turn.ts';

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

interface StepNotes {
  readonly models: Writable<RecordedModelCall>[];
  readonly decisions: RecordedDecision[];
  readonly events: JsonObject[];
}

/** Notes on one turn, as its events and results come in. */
export class TurnNotes {
  readonly #thread: string;
  readonly #turn: string;
  readonly #agentPath: readonly string[] | undefined;
  readonly #steps = new Map<number, StepNotes>();
  readonly #calls = new Map<string, Writable<RecordedToolCall> & { readonly step: number }>();
  readonly #results: JsonObject[] = [];

  constructor({
    threadId,
    turnId,
    agentPath,
  }: Pick<AgentEvent, 'threadId' | 'turnId' | 'agentPath'>) {
    this.#thread = threadId;
    this.#turn = turnId;
    this.#agentPath = agentPath;
  }

  hear(event: AgentEvent): void {
    const notes = this.#step(event.step);
    switch (event.type) {
      case 'llm.requested':
        notes.models.push(modelCall(event));
        return;
      case 'llm.responded': {
        const call = notes.models.findLast(({ finishReason }) => finishReason === undefined);
        if (call !== undefined) Object.assign(call, pick(event, ['finishReason', 'toolCalls']));
        return;
      }
      case 'llm.rejected': {
        const call = notes.models.at(-1);
        if (call !== undefined) call.rejected = `${event.by} at ${event.point}`;
        return;
      }
      case 'hook.decided':
      case 'hook.failed':
        notes.decisions.push(decisionOf(event));
        return;
      default:
        if (!this.#hearTool(event)) notes.events.push(...plainEvent(event));
    }
  }

  /** The history has what was to run and what the model reads, which events never tell. */
  read(result: RunResult): void {
    for (const message of result.messages) this.#readMessage(message);
    this.#results.push(resultOf(result));
  }

  toTurn(): RecordedTurn {
    const steps = [...this.#steps]
      .sort(([a], [b]) => a - b)
      .map(([step, notes]) => this.#toStep(step, notes));
    return {
      thread: this.#thread,
      turn: this.#turn,
      ...(this.#agentPath !== undefined && { agentPath: this.#agentPath }),
      steps,
      results: this.#results,
    };
  }

  #toStep(step: number, { models, decisions, events }: StepNotes): RecordedStep {
    const tools = [...this.#calls.values()]
      .filter((call) => call.step === step)
      .sort((a, b) => compareCalls(a.call, b.call))
      .map(({ step: _step, ...call }) => call);
    return {
      step,
      ...(models.length > 0 && { models }),
      ...(decisions.length > 0 && { decisions: decisions.toSorted(compareDecisions) }),
      ...(tools.length > 0 && { tools }),
      ...(events.length > 0 && { events }),
    };
  }

  #step(step: number): StepNotes {
    const known = this.#steps.get(step);
    if (known !== undefined) return known;
    const notes: StepNotes = { models: [], decisions: [], events: [] };
    this.#steps.set(step, notes);
    return notes;
  }

  #hearTool(event: AgentEvent): boolean {
    switch (event.type) {
      case 'tool.called': {
        const { callId: call, toolName: tool, requestedInput: requested, step } = event;
        this.#calls.set(call, { call, tool, requested, step });
        return true;
      }
      case 'tool.started':
      case 'tool.progress':
        return true;
      case 'tool.succeeded':
        this.#note(event.callId, { outcome: 'succeeded' });
        return true;
      case 'tool.failed':
        this.#note(event.callId, { outcome: event.outcome });
        return true;
      case 'tool.refused':
        this.#note(event.callId, {
          outcome: event.outcome,
          refused: `${event.by}: ${event.reason}`,
        });
        return true;
      default:
        return false;
    }
  }

  #readMessage(message: Message): void {
    for (const { callId, input } of toolCallsOf(message)) {
      const requested = this.#calls.get(callId)?.requested;
      if (JSON.stringify(requested) !== JSON.stringify(input))
        this.#note(callId, { effective: input });
    }
    for (const { callId, output, outcome } of toolResultsOf(message))
      this.#note(callId, { outcome, output });
  }

  #note(callId: string, facts: Partial<RecordedToolCall>): void {
    const call = this.#calls.get(callId);
    if (call !== undefined) Object.assign(call, facts);
  }
}

function modelCall({
  model,
  purpose,
  attempt,
}: EventOf<'llm.requested'>): Writable<RecordedModelCall> {
  return { model, ...(purpose !== 'main' && { purpose }), ...(attempt > 1 && { attempt }) };
}

function decisionOf(event: EventOf<'hook.decided'> | EventOf<'hook.failed'>): RecordedDecision {
  const { policy, point, callId, shadow } = event;
  const isFailure = event.type === 'hook.failed';
  return {
    policy,
    point,
    decision: isFailure ? `failed: ${event.kind}` : event.decision,
    ...(!isFailure && event.reason !== undefined && { reason: event.reason }),
    ...(callId !== undefined && { call: callId }),
    ...(!isFailure && event.recheck === true && { recheck: true }),
    ...(shadow === true && { shadow }),
  };
}

/** By call, point and name: policies that are asked at the same time answer in no order. */
function compareDecisions(a: RecordedDecision, b: RecordedDecision): number {
  const place = ({ point }: RecordedDecision): number =>
    HOOK_POINTS.findIndex((known) => known === point);
  return (
    place(a) - place(b) ||
    compareCalls(a.call ?? '', b.call ?? '') ||
    Number(a.recheck ?? false) - Number(b.recheck ?? false) ||
    compare(a.policy, b.policy)
  );
}

function compareCalls(a: string, b: string): number {
  return a.length - b.length || compare(a, b);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** What every event has, and what no two runs have alike. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'threadId',
  'turnId',
  'step',
  'at',
  'seq',
  'agentPath',
  'durationMs',
  'latencyMs',
  'delayMs',
  'responseId',
  'digest',
  'usage',
  'cost',
]);

/** Pieces of a stream are left out: the same text may come in any. */
function plainEvent(event: AgentEvent): readonly JsonObject[] {
  if (event.type === 'llm.delta' || event.type === 'step.started') return [];
  const members = Object.entries(event).filter(([key]) => !LEFT_OUT.has(key));
  return [Object.fromEntries(members) as JsonObject]; // Events are JSON.
}

function resultOf(result: RunResult): JsonObject {
  const facts: { [key: string]: JsonValue } = { status: result.status, steps: result.steps };
  for (const key of ['text', 'by', 'point', 'reason', 'limit', 'finishReason'])
    if (key in result) facts[key] = String(Reflect.get(result, key));
  if (result.status === 'failed') facts['error'] = result.error.code;
  if (result.status === 'awaiting-approval')
    facts['approvals'] = result.approvals.map(({ callId, requirements }) => ({
      call: callId,
      prompts: requirements.map(({ prompt }) => prompt),
    }));
  if (result.status === 'awaiting-tools') facts['calls'] = result.calls.map(({ callId }) => callId);
  return facts;
}

function pick<T, Key extends keyof T>(value: T, keys: readonly Key[]): Pick<T, Key> {
  return Object.fromEntries(keys.map((key) => [key, value[key]])) as Pick<T, Key>; // Just these keys.
}
