import { ConfigError } from '../../errors/config-error.ts';
import type { Fc } from './texts.ts';

/** The optional package that makes and shrinks the inputs. */
export async function loadFastCheck(): Promise<Fc> {
  try {
    return await import('fast-check');
  } catch (cause) {
    throw new ConfigError(
      'missing-package',
      {
        where: 'fuzzPolicy',
        what: 'the optional package `fast-check` is not installed or does not load here',
        fix: 'Run `npm install --save-dev fast-check`',
      },
      { cause },
    );
  }
}
