interface Recover {
  readonly type: 'recover';
}

interface Abort {
  readonly type: 'abort';
}

interface Fallback {
  readonly type: 'fallback';
  readonly text: string;
}

interface Silent {
  readonly type: 'silent';
}

/** What a policy may say to a provider or tool error. `true` is short for recover, `false` for abort. */
export type ErrorDecision = Recover | Abort | Fallback | Silent;

const RECOVER: Recover = Object.freeze({ type: 'recover' });
const ABORT: Abort = Object.freeze({ type: 'abort' });
const SILENT: Silent = Object.freeze({ type: 'silent' });

export const ErrorDecision: {
  /** Go on with another step. Never runs a tool again. */
  readonly recover: () => Recover;
  readonly abort: () => Abort;
  /** End the turn and show this text. */
  readonly fallback: (text: string) => Fallback;
  /** End the turn and show nothing. */
  readonly silent: () => Silent;
} = Object.freeze({
  recover: () => RECOVER,
  abort: () => ABORT,
  fallback: (text: string): Fallback => Object.freeze({ type: 'fallback', text }),
  silent: () => SILENT,
});
