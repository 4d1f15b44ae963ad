import type { ModifyText } from '../decisions/message-decision.ts';
import type { ModifyRequest } from '../decisions/request-decision.ts';
import type { ModifyResponse } from '../decisions/response-decision.ts';
import type { ModifyInput } from '../decisions/tool-decision.ts';
import type { ModifyResult } from '../decisions/tool-result-decision.ts';
import { AgentHooksError } from '../errors/base.ts';
import { errorForPolicy } from '../errors/error-for-policy.ts';
import { HookError, type HookFailureKind } from '../errors/hook-error.ts';
import type { Ask } from '../hooks/ask.ts';
import { Chain, type ChainSetting, type Rewrite } from '../hooks/chain.ts';
import type { Move } from '../hooks/entry.ts';
import {
  type ModifyPassages,
  type ModifyQuery,
  rewriteQuery,
  rewriteResults,
} from '../hooks/knowledge-chain.ts';
import type { Question } from '../hooks/record.ts';
import { rewriteRequest } from '../hooks/rewrite-request.ts';
import { rewriteResponse } from '../hooks/rewrite-response.ts';
import { rewriteText } from '../hooks/rewrite-text.ts';
import { maxSummaryChars, type Summarize, summaryMisfit } from '../hooks/summary-chain.ts';
import { windowMisfit } from '../hooks/window-chain.ts';
import { deepFreeze } from '../internal/deep-freeze.ts';
import { isThenable } from '../internal/is-thenable.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { ChatRequest, ChatResponse } from '../protocol/chat.ts';
import type { JsonObject } from '../protocol/json.ts';
import type {
  IncomingText,
  KnowledgeQuery,
  KnowledgeResults,
  TextWindow,
} from '../protocol/texts.ts';
import type { ToolInvocation, ToolResult } from '../protocol/tool.ts';
import { withFiles } from '../protocol/with-files.ts';
import type { ToolPort } from '../tools/port.ts';
import type { AskPoint } from './answer.ts';
import { toolOf } from './tool-payloads.ts';

/** What one policy said, before it is told whose answer it is. */
export type Said =
  | { readonly type: 'decided'; readonly decision: Move; readonly value: unknown }
  | { readonly type: 'no-opinion'; readonly value: unknown }
  | {
      readonly type: 'failed';
      readonly kind: HookFailureKind;
      readonly error: HookError;
      readonly failure: 'closed' | 'open';
    }
  | { readonly type: 'cancelled' };

export interface AskedAbout {
  readonly point: AskPoint;
  readonly payload: unknown;
  /** At `postToolUse` only. */
  readonly result: ToolResult | undefined;
  readonly recheck: boolean;
  /** At `onContextCompact` only. */
  readonly maxSummaryTokens?: number | undefined;
}

/**
 * A chain of one policy that keeps what it said: the engine's own way of asking, waiting, reading and putting
 * rewrites in place, without the folding that hides the answer of one among those of many.
 */
export class AskOnce extends Chain<unknown, Move, Move, Said> {
  protected override readonly evenIfCancelled: boolean;
  readonly #about: AskedAbout;
  #rewrite: Move | undefined;

  constructor(setting: ChainSetting, about: AskedAbout) {
    const payload = frozen(about);
    super(setting, about.result === undefined ? payload : deepFreeze(about.result));
    this.evenIfCancelled = about.point === 'postToolUse';
    this.#about = { ...about, payload };
  }

  protected override question(): Question {
    const { point, payload, result, recheck, maxSummaryTokens } = this.#about;
    const { moment } = this.setting;
    return {
      point,
      payload,
      ...(result !== undefined && { result }),
      moment,
      recheck,
      // The payload of this point is a window.
      ...(point === 'onTextWindow' && {
        misfit: (decision: Move) => windowMisfit(decision, payload as TextWindow),
      }),
      ...(maxSummaryTokens !== undefined && {
        // The codec of this point reads nothing else.
        misfit: (decision: Move) =>
          summaryMisfit((decision as Summarize).summary, maxSummaryChars(maxSummaryTokens)),
      }),
    };
  }

  protected override rewrite(decision: Move): MaybePromise<Rewrite<unknown>> {
    this.#rewrite = decision;
    return putInPlace(this.value, decision, {
      point: this.#about.point,
      idPrefix: `${this.setting.run.facts.turnId}.${this.setting.moment.step}`,
    });
  }

  protected override judge(decision: Move): Said {
    const value = decision.type === 'summarize' ? (decision as Summarize).summary : this.value;
    return { type: 'decided', decision, value };
  }

  protected override isSettled(): boolean {
    return true;
  }

  protected override conclude(): Said {
    const { value } = this;
    if (this.#rewrite === undefined) return { type: 'no-opinion', value };
    if (!this.#about.recheck || !this.modified) {
      return { type: 'decided', decision: this.#rewrite, value };
    }
    const [entry] = this.setting.entries;
    const kind = 'changed-on-recheck';
    const { point } = this.setting;
    const error = new HookError({ policy: entry?.policy ?? '', point, kind });
    return { type: 'failed', kind, error, failure: entry?.failure ?? 'closed' };
  }

  /** An open point goes on as if nothing had been said; who asks here wants to know. */
  protected override fail(ask: Ask, error: HookError): Said {
    ask.settleMemory(false);
    return { type: 'failed', kind: error.kind, error, failure: ask.entry.failure };
  }

  protected override failed({ error }: { readonly error: HookError }): Said {
    return { type: 'failed', kind: error.kind, error, failure: 'closed' };
  }

  protected override cancelled(): Said {
    return { type: 'cancelled' };
  }
}

/** The codec of the point has read the decision, and the point says what the value is: hence the casts. */
function putInPlace(
  value: unknown,
  decision: Move,
  place: { readonly point: AskPoint; readonly idPrefix: string },
): MaybePromise<Rewrite<unknown>> {
  switch (place.point) {
    case 'onTurnStart':
      return { problem: 'a turn cannot be changed' };
    case 'onTextWindow':
      return { problem: 'text that is held cannot be changed' };
    case 'onContextCompact':
      return { problem: 'a history cannot be changed' };
    case 'onError':
      return { problem: 'an error cannot be changed' };
    case 'onUserMessage':
    case 'onOutgoingMessage':
      return rewriteText(value as IncomingText, decision as ModifyText);
    case 'onKnowledgeQuery':
      return rewriteQuery(value as KnowledgeQuery, decision as ModifyQuery);
    case 'onKnowledgeResults':
      return rewriteResults(value as KnowledgeResults, decision as ModifyPassages);
    case 'preLlmRequest':
      return rewriteRequest(value as ChatRequest, decision as ModifyRequest);
    case 'onLlmResponse': {
      const response = value as ChatResponse;
      let added = response.toolCalls.length;
      const newCallId = (): string => `${place.idPrefix}.${added++}`;
      return rewriteResponse(response, decision as ModifyResponse, newCallId);
    }
    case 'preToolUse':
      return rewriteInput(value as ToolInvocation, decision as ModifyInput);
    case 'postToolUse': {
      const before = value as ToolResult;
      const {
        output = before.output,
        isError = before.isError,
        files = before.files,
      } = (decision as ModifyResult).result;
      return { value: withFiles({ outcome: before.outcome, isError, output }, files) };
    }
  }
}

function rewriteInput(
  invocation: ToolInvocation,
  { input }: ModifyInput,
): MaybePromise<Rewrite<ToolInvocation>> {
  const put = (effectiveInput: JsonObject): Rewrite<ToolInvocation> => ({
    value: deepFreeze({ ...invocation, effectiveInput }),
  });
  const tool = toolOf(invocation);
  if (tool === undefined) return put(input);
  const checked = tool.check(withLocked(tool, input, invocation.effectiveInput));
  if (!isThenable(checked)) return 'problem' in checked ? checked : put(checked.input);
  return checked.then((late) => ('problem' in late ? late : put(late.input)));
}

/** A policy cannot change what is locked: what it says of that is replaced. */
function withLocked({ locks }: ToolPort<never>, input: JsonObject, before: JsonObject): JsonObject {
  if (locks === undefined || typeof input !== 'object' || input === null) return input;
  const kept = Object.entries(before).filter(([name]) => locks.names.includes(name));
  return { ...locks.strip(input), ...Object.fromEntries(kept) };
}

/** As an agent gives it: an error is shown without its cause, anything else as it is. */
function frozen({ point, payload }: AskedAbout): unknown {
  if (point !== 'onError') return deepFreeze(payload);
  return AgentHooksError.isInstance(payload) ? errorForPolicy(payload) : payload;
}
