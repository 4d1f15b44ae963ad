import { deepFreeze } from '../internal/deep-freeze.ts';
import { toJson } from '../internal/to-json.ts';
import type { JsonValue } from '../protocol/json.ts';

/** Who speaks, over what and in which session, as policies read it in `ctx`. */
export interface GivenFacts {
  readonly sender: JsonValue;
  readonly channel: JsonValue;
  readonly session: JsonValue;
}

/** The engine's own copy, frozen: neither a policy nor the caller can make anybody else of them during the run. */
export function givenFacts({
  sender,
  channel,
  session,
}: {
  readonly [fact in keyof GivenFacts]?: JsonValue | undefined;
}): GivenFacts {
  return { sender: owned(sender), channel: owned(channel), session: owned(session) };
}

function owned(value: JsonValue | undefined): JsonValue {
  if (value === undefined) return null;
  return typeof value === 'object' && value !== null ? deepFreeze(toJson(value)) : value;
}
