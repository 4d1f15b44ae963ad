import { ConfigError } from '../../errors/config-error.ts';

/** Refuses a declaration: which tool, what is wrong with it, and what to do. */
export type Refuse = (what: string, fix: string) => never;

export function refuseFor(name: unknown): Refuse {
  // A name of the wrong form is code of the caller, never an input.
  const where = typeof name === 'string' ? `webhook '${name.slice(0, 80)}'` : 'webhookTool()';
  return (what, fix) => {
    throw new ConfigError('invalid-tool', { where, what, fix });
  };
}
