import { type Block, block } from './shared-moves.ts';

/** Lets the first `chars` characters of the held text go. */
interface Release {
  readonly type: 'release';
  readonly chars: number;
}

/** What a policy may say to text that is held back while it grows. */
export type WindowDecision = Release | Block;

export const WindowDecision: {
  /**
   * The first `chars` characters (UTF-16 units) of the held text may be shown; 0 holds everything a little longer.
   * More than are held, and fewer than all of them where the answer has ended, is a failure of the policy.
   */
  readonly release: (chars: number) => Release;
  /** The rest of the response is dropped and the turn ends `blocked`. */
  readonly block: (reason: string) => Block;
} = Object.freeze({
  release: (chars: number): Release => Object.freeze({ type: 'release', chars }),
  block,
});
