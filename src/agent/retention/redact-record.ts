import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import { isList, type Redact, redactJson, redactValues } from './redact-json.ts';

/**
 * The members of records that hold no text of a person or a model: what the program is made of, ids, kinds, and digests.
 * Whatever is not named here is redacted, so that a member that is added later is not left by mistake.
 */
const STRUCTURE: ReadonlySet<string> = new Set([
  // ids
  ...['threadId', 'topThreadId', 'turnId', 'callId', 'providerCallId', 'approvalId', 'artifactId'],
  ...['responseId', 'digestKey', 'inputDigest', 'digest', 'denied'],
  // kinds
  ...['type', 'role', 'kind', 'status', 'outcome', 'decision', 'point', 'purpose', 'fallback'],
  ...['cause', 'limit', 'finishReason', 'mediaType', 'code', 'errorName', 'tier', 'sideEffects'],
  // what the program calls its parts
  ...['name', 'agent', 'agentPath', 'model', 'policy', 'version', 'toolName', 'displayName'],
  ...['toolVersion', 'source', 'endedBy', 'field', 'fields', 'slot'],
]);

/** JSON that tools, people and models fill as they like. */
const FREE: ReadonlySet<string> = new Set([
  ...['input', 'requestedInput', 'effectiveInput', 'output', 'data', 'details', 'providerMetadata'],
  ...['snapshot', 'metadata'],
]);

/** The texts of a record, whichever it is; `record` is left as it is. */
export function redactRecord(record: JsonObject, redact: Redact): JsonObject {
  return Object.fromEntries(
    Object.entries(record).map(([key, value]) => [
      key,
      isStructure(key, record) && isNames(value) ? value : redactMember(key, value, redact),
    ]),
  );
}

function redactMember(key: string, value: JsonValue, redact: Redact): JsonValue {
  if (FREE.has(key)) return redactJson(value, redact);
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.map((item) => redactMember(key, item, redact));
  // The fields of the thread's state are named by its schema; the JSON Schema of an answer was written by the app.
  if (key === 'values') return redactValues(value as JsonObject, redact);
  return key === 'schema' ? value : redactRecord(value as JsonObject, redact);
}

function isStructure(key: string, record: JsonObject): boolean {
  return key === 'by' ? !isByPerson(record) : STRUCTURE.has(key);
}

/**
 * `by` names a policy where a point or a summary is told of, and in what became of a call that no person refused. Whoever
 * else it names is taken for a person: in an answer, in a vote, and in a record that is added later.
 */
function isByPerson({ by, point, type, outcome }: JsonObject): boolean {
  if (point !== undefined || type === 'context.compacted') return false;
  return outcome === undefined || (outcome === 'denied' && by !== 'agent');
}

function isNames(value: JsonValue): boolean {
  return (
    typeof value === 'string' || (isList(value) && value.every((one) => typeof one === 'string'))
  );
}
