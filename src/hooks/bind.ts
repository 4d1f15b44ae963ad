import type { ErrorVerdict } from '../decisions/fold-errors.ts';
import type { AgentHooksError } from '../errors/base.ts';
import { errorForPolicy } from '../errors/error-for-policy.ts';
import type { AgentEvent } from '../events/event.ts';
import { deepFreeze } from '../internal/deep-freeze.ts';
import { isThenable } from '../internal/is-thenable.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { ChatRequest, ChatResponse, ChatStreamPart } from '../protocol/chat.ts';
import type { Message } from '../protocol/message.ts';
import type {
  IncomingText,
  KnowledgeQuery,
  KnowledgeResults,
  OutgoingText,
  TurnStart,
} from '../protocol/texts.ts';
import type { ToolInvocation, ToolResult } from '../protocol/tool.ts';
import type { HookPoint } from './agent-hooks.ts';
import type { ChainSetting, Rewrite } from './chain.ts';
import type { CompiledHooks } from './compile.ts';
import { ErrorChain } from './error-chain.ts';
import type {
  AskedCall,
  ChainVerdict,
  CheckInput,
  GatePorts,
  HookCancelled,
  HookGate,
  Moment,
  PromptVerdict,
  RunFacts,
  SummaryVerdict,
  ToolChainVerdict,
  ToolCore,
  WindowGate,
  WrappedCall,
  WrappedResult,
} from './gate.ts';
import { HookRun } from './hook-run.ts';
import { KnowledgeChain, rewriteQuery, rewriteResults } from './knowledge-chain.ts';
import { isObserverFailure, tell } from './observe.ts';
import { chainPrompt } from './prompt-chain.ts';
import { ResultChain } from './result-chain.ts';
import { rewriteRequest } from './rewrite-request.ts';
import { rewriteResponse } from './rewrite-response.ts';
import { rewriteText } from './rewrite-text.ts';
import { SummaryChain } from './summary-chain.ts';
import { ToolChain } from './tool-chain.ts';
import { VerdictChain } from './verdict-chain.ts';
import { AnswerWindows } from './window-chain.ts';
import { WrappedModelCall } from './wrap-model.ts';
import { WrappedToolCall } from './wrap-tool.ts';

/** The policies of an agent, asked for one run. Cheap: nothing is made per policy. */
export function bindHooks(compiled: CompiledHooks, facts: RunFacts, ports: GatePorts): HookGate {
  return new BoundHooks(compiled, new HookRun(facts, ports));
}

class BoundHooks implements HookGate {
  readonly has: (point: HookPoint) => boolean;
  readonly holdsStream: boolean;
  readonly #compiled: CompiledHooks;
  readonly #run: HookRun;
  #last: Moment | undefined;

  constructor(compiled: CompiledHooks, run: HookRun) {
    this.has = compiled.has;
    this.holdsStream = compiled.holdsStream;
    this.#compiled = compiled;
    this.#run = run;
  }

  turnStart(turn: TurnStart, moment: Moment): MaybePromise<ChainVerdict<TurnStart>> {
    return new VerdictChain(this.#at('onTurnStart', moment), deepFreeze(turn), noRewrite).run();
  }

  userMessage(message: IncomingText, moment: Moment): MaybePromise<ChainVerdict<IncomingText>> {
    const setting = this.#at('onUserMessage', moment);
    return new VerdictChain(setting, deepFreeze(message), rewriteText<IncomingText>).run();
  }

  systemPrompt(prompt: string, moment: Moment, model?: string): PromptVerdict {
    const setting = this.#at('systemPrompt', moment);
    return chainPrompt(setting, prompt, model ?? this.#run.facts.model);
  }

  request<Result>(
    request: ChatRequest,
    moment: Moment,
    take: (verdict: ChainVerdict<ChatRequest>) => MaybePromise<Result>,
  ): MaybePromise<Result> {
    return new VerdictChain(
      this.#at('preLlmRequest', moment),
      deepFreeze(request),
      rewriteRequest,
    ).runThen(take);
  }

  llmCall(
    request: ChatRequest,
    call: (request: ChatRequest) => AsyncIterable<ChatStreamPart>,
    moment: Moment,
  ): WrappedCall {
    const again = { ...this.#at('preLlmRequest', moment), again: true } as const;
    const judge = (changed: ChatRequest): MaybePromise<ChainVerdict<ChatRequest>> =>
      new VerdictChain(again, changed, rewriteRequest).run();
    return new WrappedModelCall(this.#at('wrapLlmCall', moment), request, { call, judge });
  }

  textWindows(moment: Moment): WindowGate {
    return new AnswerWindows(this.#at('onTextWindow', moment));
  }

  response<Result>(
    response: ChatResponse,
    asked: { readonly newCallId: () => string; readonly moment: Moment },
    take: (verdict: ChainVerdict<ChatResponse>) => MaybePromise<Result>,
  ): MaybePromise<Result> {
    const { newCallId, moment } = asked;
    const setting = this.#at('onLlmResponse', moment);
    return new VerdictChain(
      setting,
      deepFreeze(response),
      // A new call on a recheck is a change, which is refused: it must not use up an id.
      (value: ChatResponse, decision: Parameters<typeof rewriteResponse>[1], recheck) =>
        rewriteResponse(value, decision, recheck ? noCallId : newCallId),
    ).runThen(take);
  }

  toolUse<Result>(
    invocation: ToolInvocation,
    asked: { readonly check: CheckInput; readonly moment: Moment },
    take: (verdict: ToolChainVerdict) => MaybePromise<Result>,
  ): MaybePromise<Result> {
    const setting = this.#at('preToolUse', asked.moment);
    return new ToolChain(setting, deepFreeze(invocation), asked.check).runThen(take);
  }

  toolCall(invocation: ToolInvocation, core: ToolCore, moment: Moment): Promise<WrappedResult> {
    const again = { ...this.#at('preToolUse', moment), again: true } as const;
    const judge = (changed: ToolInvocation): MaybePromise<ToolChainVerdict> =>
      new ToolChain(again, changed, core.check).run();
    const setting = this.#at('wrapToolUse', moment);
    return new WrappedToolCall(setting, { ...core, judge }).run(deepFreeze(invocation));
  }

  toolResult(
    invocation: ToolInvocation,
    result: ToolResult,
    moment: Moment,
  ): MaybePromise<ToolResult> {
    const setting = this.#at('postToolUse', moment);
    return new ResultChain(setting, deepFreeze(invocation), deepFreeze(result)).run();
  }

  knowledgeQuery(
    query: KnowledgeQuery,
    call: AskedCall,
    moment: Moment,
  ): MaybePromise<ChainVerdict<KnowledgeQuery>> {
    const setting = this.#at('onKnowledgeQuery', moment);
    return new KnowledgeChain(setting, deepFreeze(query), { call, rewriter: rewriteQuery }).run();
  }

  knowledgeResults(
    results: KnowledgeResults,
    call: AskedCall,
    moment: Moment,
  ): MaybePromise<ChainVerdict<KnowledgeResults>> {
    const setting = this.#at('onKnowledgeResults', moment);
    const about = { call, rewriter: rewriteResults };
    return new KnowledgeChain(setting, deepFreeze(results), about).run();
  }

  outgoing(message: OutgoingText, moment: Moment): MaybePromise<ChainVerdict<OutgoingText>> {
    const setting = this.#at('onOutgoingMessage', moment);
    return new VerdictChain(setting, deepFreeze(message), rewriteText<OutgoingText>).run();
  }

  error(
    error: AgentHooksError,
    moment: Moment,
    call?: AskedCall,
  ): MaybePromise<ErrorVerdict | HookCancelled> {
    return new ErrorChain(this.#at('onError', moment), errorForPolicy(error), { call }).run();
  }

  tellError(error: AgentHooksError, moment: Moment): MaybePromise<void> {
    const setting = this.#at('onError', moment);
    const telling = new ErrorChain(setting, errorForPolicy(error), { told: true }).run();
    return isThenable(telling) ? telling.then(ignore) : undefined;
  }

  contextCompact(
    messages: readonly Message[],
    maxChars: number,
    moment: Moment,
  ): MaybePromise<SummaryVerdict> {
    const setting = this.#at('onContextCompact', moment);
    return new SummaryChain(setting, deepFreeze(messages), maxChars).run();
  }

  observe(event: AgentEvent): void {
    const entries = this.#compiled.observers[event.type];
    if (entries === undefined || isObserverFailure(event)) return;
    const moment = this.#momentOf(event);
    for (const entry of entries) tell(this.#run, entry, { event, moment });
  }

  close(): void {
    this.#run.close();
  }

  #at(point: HookPoint, moment: Moment): ChainSetting {
    this.#last = moment;
    return { run: this.#run, point, entries: this.#compiled.entries[point] ?? [], moment };
  }

  /** An event knows its step only; the rest is that of the last question of the same step. */
  #momentOf(event: AgentEvent): Moment {
    if (this.#last?.step !== event.step)
      this.#last = { step: event.step, attempt: 1, purpose: 'main' };
    return this.#last;
  }
}

/** Who is only told decides nothing. */
function ignore(): void {}

function noCallId(): string {
  return '';
}

/** The turn has nothing that could be changed, and its codec knows no Modify. */
function noRewrite(): Rewrite<TurnStart> {
  return { problem: 'a turn cannot be changed' };
}
