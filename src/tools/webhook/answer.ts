import { ToolError } from '../../errors/tool-error.ts';
import { SafeHttpError } from '../../internal/safe-http/safe-http-error.ts';
import type { SafeAnswer } from '../../internal/safe-http/safe-request.ts';
import { toJson } from '../../internal/to-json.ts';
import type { JsonValue } from '../../protocol/json.ts';

const EXCERPT_CHARS = 300;
/** Answers of something in between that gave up: what it called may have done its work. */
const GAVE_UP: ReadonlySet<number> = new Set([408, 502, 504]);

/** What the service says of a call that worked: JSON, or nothing at all. Throws a `ToolError` for any other answer. */
export function readAnswer({ status, text, isWhole }: SafeAnswer): JsonValue {
  if (status < 200 || status > 299) throw refusedByService(status, text);
  if (!isWhole) throw unreadable(`HTTP ${status} with an answer of more than 64 KiB`);
  if (text.trim() === '') return { ok: true };
  const json = parsed(text);
  if (json === undefined) throw unreadable(`HTTP ${status} with an answer that is not JSON`);
  return toJson(json);
}

/** Says the status to everybody, and what the service said about it to the model alone. */
function refusedByService(status: number, text: string): ToolError {
  const said = excerpt(text);
  return new ToolError(`the webhook answered HTTP ${status}${said === '' ? '' : `: ${said}`}`, {
    eventText: `HTTP ${status}`,
    ...(GAVE_UP.has(status) && { code: 'outcome-unknown' }),
  });
}

function unreadable(what: string): ToolError {
  return new ToolError(`the webhook answered ${what}`, {
    code: 'unreadable-output',
    eventText: what,
  });
}

/** Of a JSON answer what is meant to be read of a failure, of any other the beginning. */
function excerpt(text: string): string {
  const json = parsed(text);
  const said = json === undefined ? text.trim() : sayings(json).join(', ');
  return [...said].slice(0, EXCERPT_CHARS).join('').toWellFormed();
}

const TELLING = ['error', 'message', 'code'] as const;

/** Many services put the three into an object called `error`. */
function sayings(json: unknown, isInner = false): readonly string[] {
  return TELLING.flatMap((key) => {
    const value: unknown = Object.hasOwn(Object(json), key)
      ? Reflect.get(Object(json), key)
      : undefined;
    if (typeof value === 'string' || typeof value === 'number') return [`${key}: ${value}`];
    return key === 'error' && !isInner && typeof value === 'object' ? sayings(value, true) : [];
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // That it is no JSON is the answer.
    return undefined;
  }
}

/** A request that gave no answer, in words that are fit for everybody. */
export function toolErrorOf(error: unknown): unknown {
  if (!(error instanceof SafeHttpError)) return error;
  const what =
    error.problem === 'refused' ? 'the webhook was not followed' : 'the webhook did not answer';
  return new ToolError(`${what}: ${error.message}`, {
    cause: error,
    eventText: error.message,
    ...(error.wasSent && { code: 'outcome-unknown' }),
  });
}
