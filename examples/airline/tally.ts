import type { AgentEvent, EventOf } from 'agent-hooks';

export interface Counts {
  /** Model calls. */
  steps: number;
  /** Tool calls that ran. */
  calls: number;
  blocked: number;
  confirmations: number;
  retries: number;
}

/**
 * What the policies did to one conversation, counted from the agent's events. With the first call that is
 * blocked or denied, or response that is sent back, ends what the record can tell: `until` counts up to and
 * with it, `after` the rest.
 */
export class Tally {
  readonly until: Counts = noCounts();
  readonly after: Counts = noCounts();
  /** How often which policy was the one that blocked, asked or sent back. */
  readonly byPolicy: Map<string, number> = new Map();
  /** What must not happen in a replay. */
  readonly problems: string[] = [];
  readonly #askers = new Map<string, string[]>();
  #diverged = false;

  get diverged(): boolean {
    return this.#diverged;
  }

  hear(event: AgentEvent): void {
    switch (event.type) {
      case 'llm.requested':
        this.#counts.steps += 1;
        break;
      case 'tool.succeeded':
        this.#counts.calls += 1;
        break;
      case 'tool.refused':
        this.#hearRefusal(event);
        break;
      case 'hook.decided':
        if (event.decision === 'requires-confirmation') this.#noteAsker(event.callId, event.policy);
        break;
      case 'approval.requested':
        this.#add('confirmations', this.#askers.get(event.callId) ?? []);
        break;
      case 'llm.rejected':
        this.#add('retries', [event.by]);
        this.#diverged = true;
        break;
      case 'tool.failed':
        this.problems.push(`${event.toolName} failed`);
        break;
      case 'error.raised':
        this.problems.push(`${event.code} (${event.name})`);
        break;
      case 'hook.failed':
        this.problems.push(`${event.policy} failed at ${event.point}`);
        break;
    }
  }

  get #counts(): Counts {
    return this.#diverged ? this.after : this.until;
  }

  #noteAsker(callId: string | undefined, policy: string): void {
    if (callId === undefined) return;
    this.#askers.set(callId, [...(this.#askers.get(callId) ?? []), policy]);
  }

  #hearRefusal({ toolName, outcome, by }: EventOf<'tool.refused'>): void {
    if (outcome === 'blocked') this.#add('blocked', [by]);
    else if (outcome !== 'denied') this.problems.push(`${toolName} was ${outcome}`);
    this.#diverged = true;
  }

  #add(kind: 'blocked' | 'confirmations' | 'retries', policies: readonly string[]): void {
    this.#counts[kind] += 1;
    for (const policy of policies) {
      this.byPolicy.set(policy, (this.byPolicy.get(policy) ?? 0) + 1);
    }
  }
}

function noCounts(): Counts {
  return { steps: 0, calls: 0, blocked: 0, confirmations: 0, retries: 0 };
}
