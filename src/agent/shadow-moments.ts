import type { AgentEvent, EventOf } from '../events/event.ts';

/** Where a policy on trial was asked. */
export interface ShadowPlace {
  readonly threadId: string;
  readonly turnId: string;
  readonly step: number;
  readonly callId?: string;
  readonly toolName?: string;
}

/** One answer of a policy on trial beside what was done without it. */
export interface ShadowComparison extends ShadowPlace {
  readonly policy: string;
  readonly version?: string;
  readonly point: string;
  /** The kind of its decision, `none` for no opinion, `failed` for none at all. */
  readonly would: string;
  /** The reason of a Block, the prompt of a confirmation, the kind of a failure. */
  readonly wouldReason?: string;
  /** The strongest decision of the enforced policies, `none` where nobody objected, `failed` for a closed failure. */
  readonly enforced: string;
  /** Whose that was; `tier` for a tool that asks first by itself. */
  readonly enforcedBy?: string;
  readonly agrees: boolean;
}

/** Nothing is stopped, asked or changed. */
const PASSES: ReadonlySet<string> = new Set([
  'none',
  'abstain',
  'allow',
  'proceed',
  'accept',
  'keep',
  'release',
]);
/** The strongest first. */
const BY_STRENGTH: readonly string[] = [
  'failed',
  'block',
  'retry-with-feedback',
  'requires-confirmation',
  'abort',
  'fallback',
  'silent',
  'recover',
  'modify',
];

type Said = EventOf<'hook.decided'> | EventOf<'hook.failed'>;

/** What was asked about one thing: all answers to it, the latest of each policy. */
interface Moment {
  readonly trials: Map<string, Said>;
  readonly enforced: Map<string, string>;
}

/** The policy events of one turn, by what they are about. */
export class ShadowMoments {
  readonly #moments = new Map<string, Moment>();

  hear(event: AgentEvent): void {
    if (event.type === 'approval.requested') {
      // Without a policy that asks, it is the tool that does; a policy is told of by its own event.
      this.#moment(event, 'preToolUse', event.callId).enforced.set('tier', 'requires-confirmation');
    }
    if (event.type !== 'hook.decided' && event.type !== 'hook.failed') return;
    const moment = this.#moment(event, event.point, event.callId);
    if (event.shadow === true) moment.trials.set(event.policy, event);
    else if (event.type === 'hook.decided') moment.enforced.set(event.policy, event.decision);
    else if (!event.open) moment.enforced.set(event.policy, 'failed');
  }

  *compare(): Generator<ShadowComparison> {
    for (const { trials, enforced } of this.#moments.values())
      for (const said of trials.values()) yield comparison(said, strongest(enforced));
  }

  #moment({ step }: AgentEvent, point: string, callId: string | undefined): Moment {
    const key = JSON.stringify([step, point, callId]);
    const moment = this.#moments.get(key) ?? { trials: new Map(), enforced: new Map() };
    this.#moments.set(key, moment);
    return moment;
  }
}

interface Enforced {
  readonly decision: string;
  readonly by?: string;
}

function strongest(enforced: ReadonlyMap<string, string>): Enforced {
  let found: Enforced = { decision: 'none' };
  for (const [by, decision] of enforced)
    if (strengthOf(decision) > strengthOf(found.decision)) found = { decision, by };
  return found;
}

function strengthOf(decision: string): number {
  const place = BY_STRENGTH.indexOf(decision);
  return place === -1 ? 0 : BY_STRENGTH.length - place;
}

function comparison(said: Said, enforced: Enforced): ShadowComparison {
  const { threadId, turnId, step, callId, toolName, policy, version, point } = said;
  const would = said.type === 'hook.failed' ? 'failed' : said.decision;
  const wouldReason = said.type === 'hook.failed' ? said.kind : said.reason;
  const bothPass = PASSES.has(would) && PASSES.has(enforced.decision);
  return Object.freeze({
    threadId,
    turnId,
    step,
    ...(callId !== undefined && { callId }),
    ...(toolName !== undefined && { toolName }),
    policy,
    ...(version !== undefined && { version }),
    point,
    would,
    ...(wouldReason !== undefined && { wouldReason }),
    enforced: enforced.decision,
    ...(enforced.by !== undefined && { enforcedBy: enforced.by }),
    agrees: bothPass || would === enforced.decision,
  });
}
