import type { Agent, AgentStream } from '../../agent/agent.ts';
import type { HooksOption } from '../../agent/agent-options.ts';
import { createAgentOnRecord } from '../../agent/create-agent.ts';
import type { RunResult } from '../../loop/result.ts';
import type { Approval } from '../../protocol/approval.ts';
import type { Counters } from '../../protocol/counters.ts';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import type { ApprovalAnswer } from '../../protocol/tool.ts';
import type { ToolContext, ToolPort } from '../../tools/port.ts';
import { Course, callIndex } from './course.ts';
import { Footprints } from './footprints.ts';
import { recordedIndex, SEARCH_TOOL } from './recorded-index.ts';
import { RecordedModel } from './recorded-model.ts';
import { hasRun, recordedOutput, recordedTools } from './recorded-tools.ts';
import { type RecordedCall, type RecordedTurn, recordedTurns } from './recorded-turns.ts';
import type { Transcript } from './transcript.ts';

/** What stays the same for all conversations of a replay. */
export interface Stage {
  readonly hooks: HooksOption<unknown>;
  /** True when text has to be held for a policy that judges it as it grows. */
  readonly windowed: boolean;
  readonly tools: readonly ToolPort<never>[];
  readonly counters: Counters;
  readonly contextOf: (transcript: Transcript) => unknown;
  readonly onDerivedTool: (toolName: string) => void;
  /** Keeps what the model was sent and the user was shown, to compare it. */
  readonly tracks: boolean;
}

/** What came of one conversation. */
export interface Played {
  readonly course: Course;
  readonly footprints: Footprints | undefined;
  /** Recorded answers that no run asked for, although nothing had diverged. */
  readonly unheard: number;
  /** True where a policy rewrote what the model reads: the record knows nothing of that. */
  readonly rewritten: boolean;
}

/**
 * Plays one conversation through an agent of its own: the recorded model, tools that answer from the record, a store
 * in memory. A confirmation is answered as it was in the record, and denied where nobody was asked then.
 */
export async function play(transcript: Transcript, stage: Stage): Promise<Played> {
  const run = new Play(transcript, stage);
  await run.all();
  return run.result();
}

class Play {
  readonly #transcript: Transcript;
  readonly #stage: Stage;
  readonly #record: ReturnType<typeof recordedTurns>;
  readonly #model: RecordedModel;
  readonly #course: Course;
  readonly #footprints: Footprints | undefined;
  readonly #agent: Agent<unknown>;
  #unheard: number;
  #rewritten = false;
  #isTold = true;

  constructor(transcript: Transcript, stage: Stage) {
    this.#transcript = transcript;
    this.#stage = stage;
    this.#record = recordedTurns(transcript);
    this.#unheard = this.#record.unasked;
    this.#footprints = stage.tracks ? new Footprints() : undefined;
    this.#model = new RecordedModel((request) => this.#footprints?.request(request));
    this.#course = new Course(
      (callId, toolName) => this.#recorded(callId, toolName)?.result?.outcome,
    );
    const declared = stage.tools.some(({ name }) => name === SEARCH_TOOL);
    const knowledge = declared ? undefined : recordedIndex(this.#record.turns, this.#model);
    const called = this.#called();
    if (knowledge !== undefined) called.delete(SEARCH_TOOL);
    this.#agent = createAgentOnRecord({
      name: 'replay',
      model: this.#model,
      instructions: this.#record.instructions,
      tools: recordedTools(
        {
          declared: stage.tools,
          described: transcript.tools.filter(
            ({ name }) => knowledge === undefined || name !== SEARCH_TOOL,
          ),
          called,
          onDerived: stage.onDerivedTool,
        },
        (toolName, input, ctx) => this.#answer(toolName, input, ctx),
      ),
      ...(knowledge !== undefined && { knowledge }),
      hooks: stage.hooks,
      counters: stage.counters,
      limits: { steps: Number.MAX_SAFE_INTEGER },
      maxOutputBytes: Number.POSITIVE_INFINITY,
      streaming: stage.windowed ? 'window' : 'hold',
    });
    this.#agent.on('*', (event) => {
      this.#course.hear(event);
      this.#footprints?.hear(event, this.#course);
    });
  }

  async all(): Promise<void> {
    for (const turn of this.#record.turns) await this.#playTurn(turn);
    await this.#agent.settled();
  }

  result(): Played {
    return {
      course: this.#course,
      footprints: this.#footprints,
      unheard: this.#unheard,
      rewritten: this.#rewritten,
    };
  }

  async #playTurn(turn: RecordedTurn): Promise<void> {
    const course = this.#course;
    course.turn += 1;
    const threadId = this.#transcript.id;
    const signal = this.#model.beginTurn(turn);
    const about = { threadId, signal, context: this.#stage.contextOf(this.#transcript) };
    let result = await this.#begin({ ...about, message: turn.question });
    while (result.status === 'awaiting-approval') {
      const answers = result.approvals.map((approval) => this.#answerApproval(approval));
      result = await this.#resume({ ...about, answers });
    }
    if (result.status === 'failed') course.hearFailure(result.error);
    if (course.diverged === undefined) {
      this.#unheard += this.#model.remaining;
      // What a turn that the record leaves open looks like is not what the next one of the record begins with.
      this.#rewritten ||= this.#isTold && this.#model.wasToldOtherwise;
    }
    this.#isTold = result.status === 'completed';
  }

  async #begin(input: Parameters<Agent<unknown>['run']>[0]): Promise<RunResult> {
    return this.#stage.windowed ? drained(this.#agent.stream(input)) : this.#agent.run(input);
  }

  async #resume(input: Parameters<Agent<unknown>['resume']>[0]): Promise<RunResult> {
    const { windowed } = this.#stage;
    return windowed ? drained(this.#agent.streamResume(input)) : this.#agent.resume(input);
  }

  #recorded(callId: string, toolName: string) {
    return this.#model.callAt(callIndex(callId), toolName);
  }

  #answer(toolName: string, input: JsonObject, ctx: ToolContext): JsonValue {
    const recorded = this.#recorded(ctx.callId, toolName);
    this.#footprints?.ran(input, ctx.callId, this.#course);
    if (recorded?.result === undefined) return this.#model.endOfRecord();
    if (!hasRun(recorded)) this.#course.runsAnew(Number(ctx.callId.split('.').at(-2)));
    return recordedOutput(recorded.result.output, recorded.result.outcome);
  }

  #answerApproval({ approvalId, callId, toolName, requirements }: Approval): ApprovalAnswer {
    const recorded = this.#recorded(callId, toolName);
    // What no policy asks about, but only the tier of the tool, was approved by somebody when it ran.
    const isOfTier = requirements.every(({ policy }) => policy === 'tier');
    const approved = isOfTier && recorded !== undefined && hasRun(recorded);
    const answer = recorded?.approval ?? { approved, by: 'replay', ...whyDenied(recorded) };
    // A policy may want one of a few people, and not the one of the record.
    const approver = requirements
      .map(({ approvers }) => approvers)
      .find((one) => one !== undefined);
    const isHeard = approver === undefined || approver.includes(answer.by);
    return { ...answer, approvalId, ...(!isHeard && { by: approver[0] ?? answer.by }) };
  }

  #called(): Set<string> {
    const calls = this.#record.turns.flatMap(({ answers }) => answers.flat());
    return new Set(calls.map(({ call }) => call.toolName));
  }
}

/** In the words of the record, where it has some. */
function whyDenied(recorded: RecordedCall | undefined): { readonly reason?: string } {
  if (recorded?.result?.outcome !== 'denied') return { reason: 'In the record nobody was asked.' };
  const { output } = recorded.result;
  return typeof output === 'string' ? { reason: output.replace(/^Not approved: /, '') } : {};
}

/** A stream that nobody reads does not go on. */
async function drained(stream: AgentStream): Promise<RunResult> {
  for await (const _event of stream);
  return stream.result;
}
