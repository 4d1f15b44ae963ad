import { type Block, block, type Proceed, proceed } from './shared-moves.ts';

/** What a policy may say to a turn that is about to begin: nothing of it is stored yet. */
export type TurnDecision = Proceed | Block;

export const TurnDecision: {
  /** The turn may begin. */
  readonly proceed: () => Proceed;
  /** The turn ends `blocked`; nothing of the message is stored. The reason is recorded, never shown. */
  readonly block: (reason: string) => Block;
} = Object.freeze({ proceed, block });
