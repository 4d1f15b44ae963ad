import { type Block, block, type Proceed, proceed } from './shared-moves.ts';

/** Puts another text in place of the one that was asked about. */
export interface ModifyText {
  readonly type: 'modify';
  readonly text: string;
}

/** What a policy may say to a text from the user, or to one for the user. */
export type MessageDecision = Proceed | ModifyText | Block;

export const MessageDecision: {
  readonly proceed: () => Proceed;
  /** The new text is stored and shown; the old one is nowhere. */
  readonly modify: (text: string) => ModifyText;
  /** The text is replaced by a fallback, and kept in the audit log as discarded. */
  readonly block: (reason: string) => Block;
} = Object.freeze({
  proceed,
  modify: (text: string): ModifyText => Object.freeze({ type: 'modify', text }),
  block,
});
