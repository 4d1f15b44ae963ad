import type * as undici from 'undici';
import { requireHere } from '../require-here.ts';
import { SafeHttpError } from './safe-http-error.ts';

/** What is used of `undici`. */
export type Undici = Pick<
  typeof undici,
  'Agent' | 'EnvHttpProxyAgent' | 'buildConnector' | 'request'
>;

/** `resolve` finds packages from the place of this package; tests give another place. Throws a `SafeHttpError`. */
export function loadUndici(resolve: (name: string) => unknown = requireHere()): Undici {
  try {
    const about = resolve('undici/package.json');
    const version: unknown = Reflect.get(Object(about), 'version');
    // Version 6 follows redirects and counts them in its own way.
    if (Number.parseInt(String(version), 10) < 7) throw new Error(`undici ${version} is too old`);
    return resolve('undici') as Undici; // What is used of it was the same in every release since.
  } catch (cause) {
    throw missing(cause);
  }
}

function missing(cause: unknown): SafeHttpError {
  return new SafeHttpError(
    'missing-package',
    'the optional package `undici` in version 7 or newer is not installed or does not load here',
    { cause },
  );
}
