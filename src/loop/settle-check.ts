import type { Session } from './session.ts';

/** What a schema threw may quote what it checked, so it is not passed on. */
export const BROKEN = 'failed while it checked';

/** Milliseconds an asynchronous schema may take, as much as a policy that decides. */
const MAX_CHECK_MS = 5_000;

const SLOW = `did not answer within ${MAX_CHECK_MS / 1_000} s`;

/** Waits for a schema, its time limit or the cancel. What comes after that counts for nothing. */
export function settleCheck<Checked>(
  checking: Promise<Checked>,
  session: Session,
  refuse: (why: string) => Checked,
): Promise<Checked | 'cancelled'> {
  return new Promise((resolve) => {
    // A turn that is cancelled already ends the wait before there is a listener to stop.
    let stop = (): unknown => undefined;
    const end = (answer: Checked | 'cancelled'): void => {
      clearTimeout(timer);
      stop();
      session.now();
      resolve(answer);
    };
    const timer = setTimeout(() => end(refuse(SLOW)), MAX_CHECK_MS);
    stop = session.options.cancel.onCancel(() => end('cancelled'));
    checking.then(end, () => end(refuse(BROKEN)));
  });
}
