import { ConfigError } from '../errors/config-error.ts';
import { deepFreeze } from '../internal/deep-freeze.ts';
import type { ThreadRewrite } from './port.ts';

/** The members that say which record it is and where it stands. They are keys of a store, or read by it. */
const KEYS = {
  state: [],
  message: ['role'],
  event: ['seq', 'type', 'threadId'],
  result: ['outcome'],
  approval: ['approvalId', 'threadId', 'status'],
  artifact: ['artifactId'],
  memory: [],
} as const satisfies { readonly [kind in keyof ThreadRewrite]: readonly string[] };

/** A rewrite that gives frozen records only, and throws where it would make one into another. For stores. */
export function checkedRewrite(rewrite: ThreadRewrite): ThreadRewrite {
  return {
    state: (value) => checked('state', value, rewrite.state),
    message: (value) => checked('message', value, rewrite.message),
    event: (value) => checked('event', value, rewrite.event),
    result: (value) => checked('result', value, rewrite.result),
    approval: (value) => checked('approval', value, rewrite.approval),
    artifact: (value) => checked('artifact', value, rewrite.artifact),
    memory: (value, policy) => checked('memory', value, (given) => rewrite.memory(given, policy)),
  };
}

function checked<Record extends object>(
  kind: keyof ThreadRewrite,
  before: Record,
  rewrite: (record: Record) => Record,
): Record {
  const after: unknown = rewrite(deepFreeze(before));
  if (typeof after !== 'object' || after === null || Array.isArray(after))
    throw illegal(kind, 'no record');
  for (const key of KEYS[kind]) {
    if (Reflect.get(after, key) !== Reflect.get(before, key))
      throw illegal(kind, `another \`${key}\``);
  }
  return deepFreeze(after as Record); // Nothing of an object is known better here than of any other record.
}

function illegal(kind: keyof ThreadRewrite, what: string): ConfigError {
  return new ConfigError('invalid-input', {
    where: `\`rewrite.${kind}\` of rewriteThread`,
    what: `it gave ${what} for one that is stored`,
    fix: 'Give each record back as the same record; nothing was changed',
  });
}
