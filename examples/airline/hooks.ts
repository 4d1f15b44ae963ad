/** The airline's rules as policies: what the agent is built with, and what `agent-hooks replay` tries on records. */
import type { AgentHooks } from 'agent-hooks';
import { AskBeforeWriting } from './policies/ask-before-writing.ts';
import { CancelWithinRules } from './policies/cancel-within-rules.ts';
import { CompensateOnRequest } from './policies/compensate-on-request.ts';
import { KeepBasicEconomyFlights } from './policies/keep-basic-economy-flights.ts';
import { KeepPassengerCount } from './policies/keep-passenger-count.ts';
import { LimitPaymentMethods } from './policies/limit-payment-methods.ts';
import { OnlyAddBags } from './policies/only-add-bags.ts';
import { SpeakOrAct } from './policies/speak-or-act.ts';

/** The instructions say what time it is, and the recorded bookings are of those days. */
const now = (): number => Date.parse('2024-05-15T15:00:00-05:00');

export const airlineHooks: readonly AgentHooks[] = [
  new SpeakOrAct(),
  new KeepBasicEconomyFlights(),
  new KeepPassengerCount(),
  new OnlyAddBags(),
  new LimitPaymentMethods(),
  new CancelWithinRules(now),
  new CompensateOnRequest(),
  new AskBeforeWriting(),
];
