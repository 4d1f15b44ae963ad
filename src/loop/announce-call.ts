import { refusalOutput } from '../errors/tool-failure.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { JsonValue } from '../protocol/json.ts';
import { FACT_ROOTS, type Placeholder } from '../protocol/template.ts';
import type { ToolResult } from '../protocol/tool.ts';
import { unsetRefusal } from '../protocol/unset-refusal.ts';
import type { AnnounceRule } from '../tools/announce-port.ts';
import { Announced } from './announced.ts';
import { CANCELLED } from './call-outcomes.ts';
import { fillLine, type LineValues, unsetIn } from './fill-line.ts';
import { lineValues } from './line-values.ts';
import { storedInput } from './locks.ts';
import type { OutcomeSaver } from './outcome-saver.ts';
import { judgeOutgoing } from './perform-judge.ts';
import type { Session } from './session.ts';
import { showLine, untilShown } from './show-line.ts';
import type { BatchCall, OpenTurn } from './state.ts';
import { discarded } from './step-outgoing.ts';

interface Place {
  readonly session: Session;
  readonly turn: OpenTurn;
  readonly saver: OutcomeSaver;
}

/** Says what is to be said before a call, and runs it then: once a call, however often a policy or a crash repeats it. */
export async function announceFirst(
  call: BatchCall,
  place: Place,
  run: () => MaybePromise<ToolResult>,
): Promise<ToolResult> {
  if (call.announce === 'done') return run();
  const { session } = place;
  session.announced ??= new Announced(session.state.lines);
  const { announced } = session;
  const { callId } = call;
  const instead = await announced.once(callId, async () => {
    const since = session.now();
    const answer = await new Announcement(call, place, announced).tell();
    announced.took(callId, session.now() - since);
    return answer;
  });
  return instead ?? run();
}

/**
 * A line is judged, stored and only then shown: nobody is shown what a policy has not passed, or what the record does
 * not have. The tool starts after that, so its own start is stored with the line.
 */
class Announcement {
  readonly #call: BatchCall;
  readonly #place: Place;
  readonly #announced: Announced;

  constructor(call: BatchCall, place: Place, announced: Announced) {
    this.#call = call;
    this.#place = place;
    this.#announced = announced;
  }

  /** What the call is answered with in the place of its run; nothing when it may run. */
  async tell(): Promise<ToolResult | undefined> {
    const { session } = this.#place;
    const rule = session.ports.tools.get(this.#call.toolName)?.announce;
    if (rule === undefined) {
      this.#start();
      return undefined;
    }
    // One after the other: which line is next is known once the one before it was said.
    const told = await this.#announced.inTurn(() => this.#say(rule));
    if ('instead' in told) return told.instead;
    if (rule.waits && told.shown !== undefined) await untilShown(told.shown, session);
    return session.options.cancel.cancelled ? CANCELLED : undefined;
  }

  async #say(rule: AnnounceRule): Promise<Told> {
    const { session, turn, saver } = this.#place;
    if (session.options.cancel.cancelled) return { instead: CANCELLED };
    const { callId, toolName, effectiveInput } = this.#call;
    // What is locked is told to nobody.
    const input = storedInput(session.ports.tools.get(toolName), effectiveInput);
    const values = lineValues({ toolName, input }, session);
    const unset = unsetIn(rule.lines, values);
    if (unset.length > 0) return { instead: this.#refuse(unset) };
    // The batch runs, so what was shown of its answer counts whatever becomes of the line.
    session.hasStreamed = false;
    const text = await this.#judged(this.#pick(rule, values));
    if (text === undefined) return { instead: CANCELLED };
    if (text === '') {
      this.#start();
      return {};
    }
    if (rule.lines.length > 1) this.#announced.said(slotOf(toolName));
    const line = { kind: 'announce', callId, toolName, text } as const;
    session.record({ type: 'line.said', ...line }, turn.turnId, turn.step);
    session.record({ type: 'message.outgoing', text, isFinal: false }, turn.turnId, turn.step);
    this.#start();
    await saver.save([]);
    return saver.failed ? { instead: NOT_STORED } : { shown: showLine(line, session, turn) };
  }

  /** A text that fills: that of all lines was looked at before. */
  #pick({ lines }: AnnounceRule, values: LineValues): string {
    const turn = this.#announced.turnOf(slotOf(this.#call.toolName));
    return fillLine(lines[turn % lines.length] ?? '', values) ?? '';
  }

  /** As the policies let it through, which may be not at all; `undefined` when nobody waits for it any more. */
  async #judged(text: string): Promise<string | undefined> {
    const { session, turn } = this.#place;
    const asked = { type: 'judge-outgoing', turn, text, isFinal: false } as const;
    const judged = await judgeOutgoing(asked, session);
    if (judged.type !== 'outgoing.judged') return undefined;
    const { verdict } = judged;
    if (verdict.type === 'pass') return verdict.value.text;
    const { rules } = session.options;
    for (const body of discarded(verdict, { text, isFinal: false, rules }))
      session.record(body, turn.turnId, turn.step);
    return '';
  }

  #start(): void {
    const { session, turn } = this.#place;
    const { callId, toolName } = this.#call;
    this.#announced.done(callId);
    session.record(
      { type: 'tool.started', callId, toolName, source: 'model' },
      turn.turnId,
      turn.step,
    );
  }

  #refuse(unset: readonly Placeholder[]): ToolResult {
    const { session } = this.#place;
    const { callId } = this.#call;
    this.#announced.refused(callId);
    const names = unset.map(({ text, path = [''] }) =>
      FACT_ROOTS.includes(path[0]) ? ({ name: text, isFact: true } as const) : { name: text },
    );
    session.noteFailure(callId, {
      eventText: `not set: ${names.map(({ name }) => name).join(', ')}`,
    });
    return failure('invalid', refusalOutput(unsetRefusal(names)));
  }
}

type Told = { readonly instead: ToolResult } | { readonly shown?: PromiseLike<void> | undefined };

function slotOf(toolName: string): string {
  return `${toolName}/announce`;
}

function failure(outcome: ToolResult['outcome'], output: JsonValue): ToolResult {
  return Object.freeze({ outcome, isError: true, output });
}

const NOT_STORED = failure(
  'not-executed',
  'Not executed: what the user was to be told before it could not be stored',
);
