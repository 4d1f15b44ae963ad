import type { AgentEvent, EventType } from '../events/event.ts';
import type { CompiledHooks } from '../hooks/compile.ts';
import type { GatePorts, HookGate, RunFacts } from '../hooks/gate.ts';
import type { Slots } from '../internal/slots.ts';
import type { ChatModel } from '../models/port.ts';
import type { ModelSettings, ToolDescription } from '../protocol/chat.ts';
import type { Counters } from '../protocol/counters.ts';
import type { Message } from '../protocol/message.ts';
import type { ThreadStore } from '../stores/port.ts';
import type { ToolPort } from '../tools/port.ts';
import type { ResultRules } from '../tools/result-port.ts';
import type { BackgroundCalls } from './background-calls.ts';
import type { BudgetPort } from './budget-port.ts';
import type { LeaseKeeper } from './lease-keeper.ts';
import type { LinesPort } from './lines-port.ts';
import type { Note } from './note.ts';
import type { StatePort } from './state-port.ts';

/** Everything the loop needs of the world. Built once per agent; `step` sees none of it. */
export interface Ports {
  readonly agentName: string;
  readonly instructions: string;
  readonly store: ThreadStore;
  readonly model: ChatModel;
  /** The agent's own settings; what policies set for one call goes over them. */
  readonly settings: ModelSettings;
  readonly tools: ToolLookup;
  readonly hooks: HookBinder;
  /** What the model is told beside the messages, for one call each. */
  readonly notes: readonly Note[];
  /** What becomes of results, by tool; absent for an agent that asks for nothing. */
  readonly results?: ReadonlyMap<string, ResultRules>;
  /** How lines are said that code says itself. */
  readonly lines: LinesPort;
  /** The schema of the threads' state; absent for an agent without one. */
  readonly state?: StatePort;
  /** The policies that `hooks` binds: they hold in subagents too. */
  readonly policies: CompiledHooks;
  /** Renews the claims of this agent's runs. */
  readonly leases: LeaseKeeper;
  readonly counters: Counters;
  /** What calls of models are counted against; absent for an agent without budgets. */
  readonly budgets?: readonly BudgetPort[];
  readonly clock: Clock;
  /** A fresh id nobody can guess. */
  readonly newId: () => string;
  /** Hears every event of every run of the agent. Never throws. */
  readonly observe: (event: AgentEvent) => void;
  /** False while nobody observes the agent. */
  readonly hasObservers: () => boolean;
  /** False while nobody who observes the agent hears events of this type. */
  readonly isObserved: (type: EventType) => boolean;
  /** How many calls of one batch run at the same time. */
  readonly maxParallelTools: number;
  /** What the calls of all runs share; absent for an agent that may run any number of them. */
  readonly toolSlots?: Slots;
  /** Bytes of an output that the model reads, where its tool does not say. */
  readonly maxOutputBytes: number;
  /** Milliseconds a `once` tool may go on after a cancel before its outcome counts as unknown. */
  readonly cancelGraceMs: number;
  /** The calls that go on after their turns. */
  readonly background: BackgroundCalls;
  /** How often a model that answers nothing at all is sent the same request again. */
  readonly emptyRetries: number;
  /** Absent where the history is never compacted. */
  readonly compaction?: CompactionPort;
}

/** When and how a history is compacted. */
export interface CompactionPort {
  readonly model: ChatModel;
  /** What the summary should hold, beside what every summary does. */
  readonly instructions: string;
  readonly maxTokens: number;
  readonly keepTokens: number;
  readonly maxSummaryTokens: number;
  /** The app's own, or a rough rule. May throw, and may give anything. */
  readonly countTokens: (messages: readonly Message[]) => number;
}

/** Tools by name. Names come from a model, so a lookup must not reach a prototype. */
interface ToolLookup {
  readonly get: (name: string) => ToolPort<never> | undefined;
  readonly names: readonly string[];
  readonly descriptions: readonly ToolDescription[];
}

/** Binds the agent's policies to one turn. */
type HookBinder = (facts: RunFacts, ports: GatePorts) => HookGate;

interface Clock {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Milliseconds that never go back, for durations. */
  readonly monotonic: () => number;
}
