import type { Counted } from './independent-count.ts';

/** What the airline's rules decide, as `independent-count.ts` counts it: in the ten conversations of the example. */
export const TEN: Counted = {
  conversations: 10,
  diverged: 8,
  decisions: {
    'AskBeforeWriting requires-confirmation': { until: 2, after: 7 },
    'CancelWithinRules requires-confirmation': { until: 1, after: 0 },
    'CompensateOnRequest block': { until: 2, after: 0 },
    'KeepBasicEconomyFlights block': { until: 1, after: 2 },
    'LimitPaymentMethods block': { until: 0, after: 1 },
    'SpeakOrAct retry-with-feedback': { until: 3, after: 4 },
  },
};

/** And in the hundred they were taken from. */
export const HUNDRED: Counted = {
  conversations: 100,
  diverged: 51,
  decisions: {
    'AskBeforeWriting requires-confirmation': { until: 15, after: 26 },
    'CancelWithinRules block': { until: 0, after: 2 },
    'CancelWithinRules requires-confirmation': { until: 7, after: 0 },
    'CompensateOnRequest block': { until: 2, after: 0 },
    'KeepBasicEconomyFlights block': { until: 4, after: 11 },
    'LimitPaymentMethods block': { until: 1, after: 3 },
    'SpeakOrAct retry-with-feedback': { until: 24, after: 17 },
  },
};
