import type { HookError } from '../errors/hook-error.ts';
import type { Counters } from '../protocol/counters.ts';
import type { JsonValue } from '../protocol/json.ts';
import type { Message } from '../protocol/message.ts';
import type { StateValues } from '../protocol/state-values.ts';
import type { Purpose } from '../protocol/texts.ts';
import type { HookContext, PolicyMemory } from './context.ts';
import type { HookEntry } from './entry.ts';
import type { Drafts, GatePorts, Moment, RunFacts } from './gate.ts';
import { policyMemory } from './policy-memory.ts';

/** The ask behind a context. */
export interface ContextSource {
  readonly run: {
    readonly facts: RunFacts;
    readonly ports: GatePorts;
    readonly draftsOf: (policy: string) => Drafts;
  };
  readonly entry: HookEntry;
  readonly question: { readonly moment: Moment; readonly recheck: boolean; readonly point: string };
  readonly signal: AbortSignal;
  readonly isOver: boolean;
  hasWritten: boolean;
  fault: HookError | undefined;
}

/** A context of its own for every ask: what one policy does to it, no other ever sees. */
export function hookContext(source: ContextSource): HookContext {
  return new AskContext(source);
}

/** Only accessors, so that an assignment throws in the policy, and one small object is all an ask costs. */
class AskContext implements HookContext {
  readonly #source: ContextSource;
  #memory: PolicyMemory | undefined;

  constructor(source: ContextSource) {
    this.#source = source;
  }

  get threadId(): string {
    return this.#source.run.facts.threadId;
  }

  get turnId(): string {
    return this.#source.run.facts.turnId;
  }

  get step(): number {
    return this.#source.question.moment.step;
  }

  get attempt(): number {
    return this.#source.question.moment.attempt;
  }

  get agentPath(): readonly string[] {
    return this.#source.run.facts.agentPath;
  }

  get model(): string {
    const { run, question } = this.#source;
    return question.moment.model ?? run.facts.model;
  }

  get purpose(): Purpose {
    return this.#source.question.moment.purpose;
  }

  get sender(): JsonValue {
    return this.#source.run.facts.sender;
  }

  get channel(): JsonValue {
    return this.#source.run.facts.channel;
  }

  get session(): JsonValue {
    return this.#source.run.facts.session;
  }

  get messages(): readonly Message[] {
    return this.#source.run.ports.messages();
  }

  get memory(): PolicyMemory {
    this.#memory ??= policyMemory(this.#source);
    return this.#memory;
  }

  get state(): StateValues {
    const { run, entry } = this.#source;
    return run.ports.state(entry.policy);
  }

  get counters(): Counters {
    return this.#source.run.ports.counters;
  }

  get signal(): AbortSignal {
    return this.#source.signal;
  }

  get recheck(): boolean {
    return this.#source.question.recheck;
  }

  get context(): unknown {
    return this.#source.run.facts.context;
  }
}

Object.freeze(AskContext.prototype);
