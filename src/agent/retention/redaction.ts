import { RedactionError } from '../../errors/retention-error.ts';
import type { Artifact } from '../../protocol/artifact.ts';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import type { ThreadRewrite } from '../../stores/port.ts';
import { type Redact, redactJson } from './redact-json.ts';
import { redactFiles, redactMessage, sayable } from './redact-message.ts';
import { redactRecord } from './redact-record.ts';

/** Every record of a thread without what `redact` takes out. `digestKey`: the new one. */
export function redaction(redact: Redact, digestKey: string): ThreadRewrite {
  const record = <Record extends object>(value: Record): Record =>
    // A redacted record has the members it had, and texts where it had texts.
    redactRecord(value as unknown as JsonObject, redact) as unknown as Record;
  return {
    state: (state) => redactState(state, redact, digestKey),
    message: (message) => redactMessage(message, redact),
    event: record,
    result: (result) =>
      result.files === undefined
        ? record(result)
        : { ...record(result), files: redactFiles(result.files, redact) },
    approval: record,
    artifact: (artifact) => redactArtifact(artifact, redact),
    // What a policy remembers is an object, and stays one.
    memory: (memory) => redactJson(memory, redact) as JsonObject,
  };
}

/** A digest of what is gone must not be checkable: whoever guesses it right would know. */
function redactState(state: JsonObject, redact: Redact, digestKey: string): JsonObject {
  const { historyDigest: _made, ...rest } = redactRecord(state, redact);
  const summary = rest['summary'];
  return { ...rest, digestKey, ...(summary !== undefined && { summary: readable(summary) }) };
}

function readable(summary: JsonValue): JsonValue {
  if (typeof summary !== 'object' || summary === null || !('text' in summary)) return summary;
  const { text } = summary;
  return typeof text === 'string' ? { ...summary, text: sayable(text) } : summary;
}

/** JSON is redacted as what it says: within its text, a name may be escaped. */
function redactArtifact(artifact: Artifact, redact: Redact): Artifact {
  const { mediaType, text } = artifact;
  const value = mediaType === 'application/json' ? parsed(text) : undefined;
  if (value === undefined) return { ...artifact, text: redact(text) };
  return { ...artifact, text: JSON.stringify(redactJson(value, redact)) };
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** The app's `redact` as it is used here: one that fails is told of as such. */
export function checkedRedact(threadId: string, redact: (text: string) => string): Redact {
  return (text) => {
    let given: unknown;
    try {
      given = redact(text);
    } catch (cause) {
      throw new RedactionError(threadId, '`redact` threw', { cause });
    }
    if (typeof given === 'string') return given.toWellFormed();
    throw new RedactionError(threadId, '`redact` gave no text');
  };
}
