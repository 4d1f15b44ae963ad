import type { JsonObject } from '../protocol/json.ts';
import { type Block, block, type RetryWithFeedback, retryWithFeedback } from './shared-moves.ts';

/** A grant: the call runs even if its tier is `confirm`, unless another policy objects. */
interface Allow {
  readonly type: 'allow';
}

/** A rewrite of the input, not a verdict: the tier's default still applies. */
export interface ModifyInput {
  readonly type: 'modify';
  readonly input: JsonObject;
}

/** The whole batch waits until a person has answered. */
export interface RequiresConfirmation {
  readonly type: 'requires-confirmation';
  readonly prompt: string;
  readonly expiresInMs?: number;
  readonly approvers?: readonly string[];
  readonly quorum?: number;
}

/** No opinion, said aloud: the same as returning nothing, and enough where `mustDecide` is set. */
interface Abstain {
  readonly type: 'abstain';
}

/** What a policy may say to a tool call, before any tool of its batch runs. */
export type ToolDecision =
  | Allow
  | ModifyInput
  | Block
  | RequiresConfirmation
  | RetryWithFeedback
  | Abstain;

export interface ConfirmationOptions {
  /** Milliseconds from now until the approval expires. Default: never. */
  readonly expiresInMs?: number;
  /** Who may answer. Default: whoever the host lets answer. */
  readonly approvers?: readonly string[];
  /** How many different people have to say yes, from 1 to 20; one no is enough to deny it. Default: 1. */
  readonly quorum?: number;
}

const ALLOW: Allow = Object.freeze({ type: 'allow' });
const ABSTAIN: Abstain = Object.freeze({ type: 'abstain' });

export const ToolDecision: {
  /** Grants the call. A policy that only cares about one tool returns nothing for the others. */
  readonly allow: () => Allow;
  /** Runs the call with another input, checked against the schema of the tool. */
  readonly modify: (input: JsonObject) => ModifyInput;
  /** The call does not run; the model reads the reason. The other calls of the batch go on. */
  readonly block: (reason: string) => Block;
  /** A person decides. `prompt` is what that person reads. */
  readonly requiresConfirmation: (
    prompt: string,
    options?: ConfirmationOptions,
  ) => RequiresConfirmation;
  /** The whole response is dropped, no tool of the batch runs, and the model is asked again. */
  readonly retryWithFeedback: (feedback: string) => RetryWithFeedback;
  readonly abstain: () => Abstain;
} = Object.freeze({
  allow: () => ALLOW,
  modify: (input: JsonObject): ModifyInput => Object.freeze({ type: 'modify', input }),
  block,
  requiresConfirmation,
  retryWithFeedback,
  abstain: () => ABSTAIN,
});

function requiresConfirmation(
  prompt: string,
  { expiresInMs, approvers, quorum, ...unknown }: ConfirmationOptions = {},
): RequiresConfirmation {
  // What is no option stays in, for the codec to refuse: a misspelled quorum that is dropped would count as none.
  return Object.freeze({
    ...unknown,
    type: 'requires-confirmation',
    prompt,
    ...(expiresInMs !== undefined && { expiresInMs }),
    ...(approvers !== undefined && { approvers: frozenList(approvers) }),
    ...(quorum !== undefined && { quorum }),
  });
}

/** A text instead of a list stays a text: as a list it would be one of letters. */
function frozenList(names: readonly string[]): readonly string[] {
  return Array.isArray(names) ? Object.freeze([...names]) : names;
}
