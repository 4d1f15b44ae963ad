import { type Agent, type ChatModel, createAgent, type ThreadStore } from 'agent-hooks';
import { AskBeforeWriting } from './policies/ask-before-writing.ts';
import { CancelWithinRules } from './policies/cancel-within-rules.ts';
import { CompensateOnRequest } from './policies/compensate-on-request.ts';
import { KeepBasicEconomyFlights } from './policies/keep-basic-economy-flights.ts';
import { KeepPassengerCount } from './policies/keep-passenger-count.ts';
import { LimitPaymentMethods } from './policies/limit-payment-methods.ts';
import { OnlyAddBags } from './policies/only-add-bags.ts';
import { SpeakOrAct } from './policies/speak-or-act.ts';
import { readData } from './recording.ts';
import { type Airline, airlineTools } from './tools.ts';

/** The instructions say what time it is, and the recorded bookings are of those days. */
const now = (): number => Date.parse('2024-05-15T15:00:00-05:00');

/** The airline's agent: its rules in prose for the model, and those that code can check as policies. */
export function airlineAgent(parts: {
  readonly model: ChatModel;
  readonly store: ThreadStore;
}): Agent<Airline> {
  return createAgent<Airline>({
    name: 'airline',
    ...parts,
    instructions: readData('instructions.md'),
    tools: airlineTools,
    hooks: [
      new SpeakOrAct(),
      new KeepBasicEconomyFlights(),
      new KeepPassengerCount(),
      new OnlyAddBags(),
      new LimitPaymentMethods(),
      new CancelWithinRules(now),
      new CompensateOnRequest(),
      new AskBeforeWriting(),
    ],
  });
}
