import { type DecisionCodec, errorDecisionCodec } from '../decisions/codec.ts';
import { ErrorDecision } from '../decisions/error-decision.ts';

/** What `onError` may answer: its decisions, and the two words of the Rust trait it is a port of. */
export const errorAnswerCodec: DecisionCodec<ErrorDecision> = {
  ...errorDecisionCodec,
  read(value) {
    if (value === true) return RECOVER;
    return value === false ? ABORT : errorDecisionCodec.read(value);
  },
};

const RECOVER = Object.freeze({ decision: ErrorDecision.recover() });
const ABORT = Object.freeze({ decision: ErrorDecision.abort() });
