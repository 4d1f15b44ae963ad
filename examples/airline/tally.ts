import type { AgentEvent } from 'agent-hooks';

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
 * What the policies did to one conversation, counted from the agent's events. The first call that is blocked,
 * response that is sent back or confirmation that is asked for (the replay denies every one) ends what the
 * record can tell: `until` counts up to and with it, `after` the rest.
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
        if (event.outcome === 'blocked') this.#intervene('blocked', [event.by]);
        else if (event.outcome !== 'denied')
          this.problems.push(`${event.toolName} was ${event.outcome}`);
        break;
      case 'hook.decided':
        if (event.decision === 'requires-confirmation') this.#noteAsker(event.callId, event.policy);
        break;
      case 'approval.requested':
        this.#intervene('confirmations', this.#askers.get(event.callId) ?? []);
        break;
      case 'llm.rejected':
        this.#intervene('retries', [event.by]);
        break;
      case 'tool.failed':
        this.problems.push(`${event.toolName} failed`);
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

  #intervene(kind: 'blocked' | 'confirmations' | 'retries', policies: readonly string[]): void {
    this.#counts[kind] += 1;
    this.#diverged = true;
    for (const policy of policies) {
      this.byPolicy.set(policy, (this.byPolicy.get(policy) ?? 0) + 1);
    }
  }
}

function noCounts(): Counts {
  return { steps: 0, calls: 0, blocked: 0, confirmations: 0, retries: 0 };
}
