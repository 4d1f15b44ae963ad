import { ConfigError } from '../../errors/config-error.ts';

/** For what the app gives as `pool` and is none. */
export function refusedPool(what: string): ConfigError {
  return new ConfigError('invalid-option', {
    where: 'postgresStore',
    what: `\`pool\` ${what}`,
    fix: 'Give a `Pool` of `pg`, or leave it out and give `url`',
  });
}
