import type { HooksOption } from '../../agent/agent-options.ts';
import { checkKeys } from '../../errors/check-keys.ts';
import { ConfigError } from '../../errors/config-error.ts';
import type { AgentHooks } from '../../hooks/agent-hooks.ts';
import { checkPolicies } from '../../hooks/check-policies.ts';
import { combine, partsOf, pointsOf } from '../../hooks/plan.ts';
import { implementedPoints } from '../../hooks/points.ts';
import { refuse } from '../../hooks/report.ts';
import { describeThrown } from '../../internal/describe-thrown.ts';
import { memoryCounters } from '../../stores/memory-counters.ts';
import type { ToolPort } from '../../tools/port.ts';
import { differences } from './compare.ts';
import { type Played, play, type Stage } from './play.ts';
import { broken } from './read-conversation.ts';
import {
  type ReplayCourse,
  type ReplayEntry,
  type ReplayedConversation,
  type ReplayReport,
  Totals,
} from './report.ts';
import type { BrokenTranscript, Transcript } from './transcript.ts';

type Given = Transcript | BrokenTranscript;

/** What to replay, and past which policies. */
export type ReplayOptions<Context = unknown> = ReplayParts<Context> & ReplayContext<Context>;

/** Has to be there when a policy needs one. */
type ReplayContext<Context> = undefined extends Context
  ? { readonly contextOf?: ContextOf<Context> }
  : { readonly contextOf: ContextOf<Context> };

/** What policies read in `ctx.context`, made for each conversation. Default: `undefined`. */
type ContextOf<Context> = (transcript: Transcript) => Context;

interface ReplayParts<Context> {
  /** The policies on trial, as `createAgent` takes them: the same instances for all conversations. */
  readonly hooks: HooksOption<Context>;
  /** Other policies, such as those that are live: what they would have decided is compared. Default: none. */
  readonly against?: HooksOption<Context>;
  /** What to replay: see `readTranscripts` and `readThreads`. Taken one at a time. */
  readonly conversations: Iterable<Given> | AsyncIterable<Given>;
  /**
   * The tools of the agent. Policies see their tiers, side effects and schemas; none of them runs. A tool that is not
   * among them comes from the record, with tier `auto` and side effects `once`. Default: none.
   */
  readonly tools?: readonly ToolPort<never>[];
}

const OPTIONS = Object.keys({
  hooks: true,
  against: true,
  conversations: true,
  tools: true,
  contextOf: true,
} satisfies Record<keyof ReplayOptions, true>);

/**
 * A replay under way: its entries as they come, or its report when all of them have. Runs once; leaving a loop over it
 * early does not end it, and the report, or the next loop, goes on where it was left.
 */
export interface Replay extends AsyncIterable<ReplayEntry> {
  /** Replays what was not replayed yet, and adds up all of it. */
  readonly report: () => Promise<ReplayReport>;
}

/**
 * Runs recorded conversations past policies, in the loop that runs them in production, without a model and without a
 * tool: the model answers what was recorded, each tool gives what it gave then, a confirmation is answered as it was,
 * and denied where nobody was asked. With the first call that is blocked or denied, response that is sent back or turn
 * that is ended, a conversation has `diverged`: what is decided after it is counted apart. `onEvent` of a policy is not
 * called; what the other methods do themselves, they do. Throws `ConfigError` for policies that no agent takes, before
 * anything runs.
 *
 * @example
 * const report = await replay({ hooks: [new RefundLimit()], conversations: readTranscripts('yesterday.jsonl') }).report();
 */
export function replay<Context = unknown>(options: ReplayOptions<Context>): Replay {
  checkKeys('replay', options, OPTIONS);
  const { hooks, against } = options;
  const totals = new Totals(against !== undefined);
  const from = { options, totals };
  const stage = stageOf(from, hooks, 'hooks');
  const other = against === undefined ? undefined : stageOf(from, against, 'against');
  const entries = all(options.conversations, { stage, other, totals });
  return {
    // Without `return`, by which a loop that is left would end it.
    [Symbol.asyncIterator]: () => ({ next: () => entries.next() }),
    report: async () => {
      for await (const _entry of entries);
      return totals.report();
    },
  };
}

interface Setting {
  readonly stage: Stage;
  readonly other: Stage | undefined;
  readonly totals: Totals;
}

async function* all(
  conversations: ReplayOptions['conversations'],
  { stage, other, totals }: Setting,
): AsyncGenerator<ReplayEntry> {
  for await (const given of conversations) {
    const entry = given.type === 'broken' ? given : await one(given, stage, other);
    totals.add(entry);
    yield entry;
  }
}

async function one(
  transcript: Transcript,
  stage: Stage,
  other: Stage | undefined,
): Promise<ReplayEntry> {
  const { id, source } = transcript;
  try {
    const played = await play(transcript, stage);
    const compared = other === undefined ? undefined : await play(transcript, other);
    return {
      type: 'replayed',
      ...{ id, source, transcript },
      turns: played.course.turn,
      ...courseOf(played),
      problems: problemsOf(played),
      ...(compared !== undefined && {
        against: courseOf(compared),
        differences: differences(played, compared),
      }),
    } satisfies ReplayedConversation;
  } catch (error) {
    // One conversation that the engine does not take is no reason to lose the rest.
    const { name, text } = describeThrown(error);
    const problem = ConfigError.isInstance(error) ? text : name;
    return broken(source, `cannot be replayed: ${problem}`, id);
  }
}

function courseOf({ course, rewritten }: Played): ReplayCourse {
  const { decisions, diverged, steps, calls } = course;
  return { decisions, ...(diverged && { diverged }), rewritten, steps, calls };
}

function problemsOf({ course, unheard }: Played): readonly string[] {
  if (unheard === 0) return course.problems;
  const what = `${unheard} recorded ${unheard === 1 ? 'answer follows' : 'answers follow'} no message of the user that is theirs, and no policy was asked about them`;
  return [...course.problems, what];
}

function stageOf<Context>(
  { options, totals }: { readonly options: ReplayOptions<Context>; readonly totals: Totals },
  hooks: HooksOption<Context>,
  where: string,
): Stage {
  const { tools = [], contextOf } = options;
  // What a context is stays the word of the caller: policies and contexts come from the same one.
  const own = hooks as HooksOption<unknown>;
  const list = typeof own === 'function' ? [] : own;
  checkPolicies(list, (index) => `${where}[${index}]`, refuse);
  return {
    hooks: typeof own === 'function' ? (thread) => unwatched(own(thread)) : unwatched(own),
    windowed: list.some((policy) => implementedPoints(policy).includes('onTextWindow')),
    tools,
    counters: memoryCounters(),
    contextOf: (transcript) => contextOf?.(transcript),
    onDerivedTool: (toolName) => totals.derive(toolName),
    tracks: options.against !== undefined,
  };
}

/** What only watches has no say, and would tell the world of something that does not happen. */
function unwatched(hooks: readonly AgentHooks<unknown>[]): readonly AgentHooks<unknown>[] {
  // One that is asked at no point keeps its place, by which those without a name are called.
  return hooks.map((policy) =>
    combine(
      partsOf(policy).map((part) => ({
        ...part,
        points: pointsOf(part).filter((point) => point !== 'onEvent'),
      })),
    ),
  );
}
