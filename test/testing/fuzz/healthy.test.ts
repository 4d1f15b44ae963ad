import { describe, expect, test } from 'vitest';
import { AskBeforeWriting } from '../../../examples/airline/policies/ask-before-writing.ts';
import { CancelWithinRules } from '../../../examples/airline/policies/cancel-within-rules.ts';
import { CompensateOnRequest } from '../../../examples/airline/policies/compensate-on-request.ts';
import { KeepBasicEconomyFlights } from '../../../examples/airline/policies/keep-basic-economy-flights.ts';
import { KeepPassengerCount } from '../../../examples/airline/policies/keep-passenger-count.ts';
import { LimitPaymentMethods } from '../../../examples/airline/policies/limit-payment-methods.ts';
import { OnlyAddBags } from '../../../examples/airline/policies/only-add-bags.ts';
import { SpeakOrAct } from '../../../examples/airline/policies/speak-or-act.ts';
import { airlineTools as tools } from '../../../examples/airline/tools.ts';
import { MessageDecision } from '../../../src/decisions/message-decision.ts';
import { WindowDecision } from '../../../src/decisions/window-decision.ts';
import type { AgentHooks } from '../../../src/hooks/agent-hooks.ts';
import { forTools } from '../../../src/hooks/for-tools.ts';
import { Policy } from '../../../src/hooks/policy.ts';
import { releasable } from '../../../src/hooks/releasable.ts';
import { shadow } from '../../../src/hooks/shadow.ts';
import { PromptSuffix } from '../../../src/policies/prompt-suffix.ts';
import type { ChatStreamPart } from '../../../src/protocol/chat.ts';
import type { IncomingText, OutgoingText, TextWindow } from '../../../src/protocol/texts.ts';
import type { ToolInvocation, ToolResult } from '../../../src/protocol/tool.ts';
import {
  assertHealthy,
  type FuzzOptions,
  type FuzzPoint,
  fuzzPolicy,
} from '../../../src/testing/fuzz.ts';
import { called, user } from '../../../src/testing/index.ts';
import { RefundLimit, refund, ThreeCalls } from '../policies.ts';

const reservation = JSON.stringify({
  reservation_id: 'FQ8APE',
  cabin: 'basic_economy',
  flights: [{ flight_number: 'HAT001', date: '2024-05-01' }],
  passengers: [{}],
  total_baggages: 1,
  insurance: 'no',
  created_at: '2024-05-01T12:00:00',
});
const messages = [
  user('Yes, please cancel FQ8APE.'),
  called('get_reservation_details', { reservation_id: 'FQ8APE' }, reservation),
];
const desk: FuzzOptions = { tools, messages };

class NoCards extends Policy {
  override onTextWindow(window: TextWindow): WindowDecision {
    const chars = releasable(window, { patterns: [/\b\d{16}\b/], maxMatchLength: 17 });
    return window.isFinal && chars < window.text.length
      ? WindowDecision.block('a card number')
      : WindowDecision.release(chars);
  }
}

class Redact extends Policy {
  override async onOutgoingMessage({ text }: OutgoingText): Promise<MessageDecision | undefined> {
    const clean = text.replace(/\b\d{16}\b/g, '[card]');
    return clean === text ? undefined : MessageDecision.modify(clean);
  }
}

class Retry extends Policy {
  override async wrapToolUse(
    call: ToolInvocation,
    next: (call: ToolInvocation) => Promise<ToolResult>,
  ): Promise<ToolResult> {
    const result = await next(call);
    return result.isError && call.sideEffects === 'none' ? next(call) : result;
  }

  override async *wrapLlmCall(
    request: Parameters<NonNullable<AgentHooks['wrapLlmCall']>>[0],
    next: (
      request: Parameters<NonNullable<AgentHooks['wrapLlmCall']>>[0],
    ) => AsyncIterable<ChatStreamPart>,
  ): AsyncGenerator<ChatStreamPart> {
    yield* next(request);
  }
}

const tooLong = {
  name: 'too-long',
  onUserMessage: ({ text }: IncomingText) =>
    text.length > 2_000 ? MessageDecision.block('too long') : undefined,
};

interface Healthy {
  readonly policy: AgentHooks<never>;
  readonly point: FuzzPoint;
  readonly options?: FuzzOptions;
}

const healthy: readonly (readonly [string, Healthy])[] = [
  ['AskBeforeWriting', { policy: new AskBeforeWriting(), point: 'preToolUse', options: desk }],
  [
    'CancelWithinRules',
    { policy: new CancelWithinRules(() => 0), point: 'preToolUse', options: desk },
  ],
  [
    'CompensateOnRequest',
    { policy: new CompensateOnRequest(), point: 'preToolUse', options: desk },
  ],
  [
    'KeepBasicEconomyFlights',
    { policy: new KeepBasicEconomyFlights(), point: 'preToolUse', options: desk },
  ],
  ['KeepPassengerCount', { policy: new KeepPassengerCount(), point: 'preToolUse', options: desk }],
  [
    'LimitPaymentMethods',
    { policy: new LimitPaymentMethods(), point: 'preToolUse', options: desk },
  ],
  ['OnlyAddBags', { policy: new OnlyAddBags(), point: 'preToolUse', options: desk }],
  ['SpeakOrAct', { policy: new SpeakOrAct(), point: 'onLlmResponse', options: { tools } }],
  ['PromptSuffix', { policy: new PromptSuffix('Be brief.'), point: 'systemPrompt' }],
  ['RefundLimit', { policy: new RefundLimit(), point: 'preToolUse', options: { tools: [refund] } }],
  [
    'one with memory and a context',
    {
      policy: new ThreeCalls(),
      point: 'preToolUse',
      options: { context: { tenant: 'a' } as never },
    },
  ],
  ['a window', { policy: new NoCards(), point: 'onTextWindow' }],
  ['a redactor', { policy: new Redact(), point: 'onOutgoingMessage' }],
  ['one around a tool', { policy: new Retry(), point: 'wrapToolUse' }],
  ['one around a model', { policy: new Retry(), point: 'wrapLlmCall' }],
  ['a limit of length', { policy: tooLong, point: 'onUserMessage' }],
  [
    'one for some tools',
    {
      policy: forTools(['refund'], new RefundLimit()),
      point: 'preToolUse',
      options: { tools: [refund] },
    },
  ],
  ['one on trial', { policy: shadow(tooLong), point: 'onUserMessage' }],
];

describe('fuzzPolicy finds nothing in', () => {
  test.each(healthy)(
    '%s',
    async (_, { policy, point, options }) => {
      const report = await fuzzPolicy(policy, point, { runs: 120, timeMs: 3_000, ...options });
      assertHealthy(report);
      expect(report.runs).toBeGreaterThan(20);
    },
    30_000,
  );
});

test('and its inputs reach what a policy decides about', async () => {
  const options = { tools: [refund], runs: 120, seed: 3 };
  const { decisions } = await fuzzPolicy(new RefundLimit(), 'preToolUse', options);
  expect(Object.keys(decisions).sort()).toEqual([
    'allow',
    'block',
    'none',
    'requires-confirmation',
  ]);
}, 30_000);

test.each<FuzzPoint>([
  'onTurnStart',
  'onUserMessage',
  'systemPrompt',
  'preLlmRequest',
  'onTextWindow',
  'onLlmResponse',
  'preToolUse',
  'postToolUse',
  'onKnowledgeQuery',
  'onKnowledgeResults',
  'onOutgoingMessage',
  'onError',
  'onContextCompact',
])(
  'one without an opinion has no fault at %s',
  async (point) => {
    const policy = { name: 'silent', [point]: () => undefined };
    const report = await fuzzPolicy(policy, point, { runs: 30, timeMs: 1_500 });
    assertHealthy(report);
    expect(report.runs).toBe(30);
  },
  20_000,
);
