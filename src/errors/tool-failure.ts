import { describeThrown } from '../internal/describe-thrown.ts';
import { readText } from '../internal/read-text.ts';
import { ArgumentsMissing, ToolError, ToolRefused } from './tool-error.ts';

/** The end of every failure: a model that reads a bare error often tells the user that it worked. */
const NO_SUCCESS = 'Do not claim success.';

/** What a model reads of a call that failed. */
export interface FailureOutput {
  readonly [key: string]: string | readonly string[];
}

/** A call that failed: what the model reads, and what events may tell. */
export interface Failure {
  readonly output: FailureOutput;
  readonly eventText?: string;
}

/** Words first, unchanged, and the warning behind them, once. */
export function failureOutput(words: string): FailureOutput {
  const said = words.trimEnd();
  if (said.endsWith(NO_SUCCESS)) return Object.freeze({ error: words });
  const stop = /[.!?…]$/.test(said) ? '' : '.';
  return Object.freeze({ error: `${said}${stop} ${NO_SUCCESS}` });
}

/** Words with a hint, and the names of the arguments it is about, if it is about some. */
export function refusalOutput(words: string, missing?: readonly string[]): FailureOutput {
  return Object.freeze(
    missing === undefined
      ? { refused: words }
      : { refused: words, missing: Object.freeze([...missing]) },
  );
}

/**
 * Puts what a tool threw into what the model reads. Only a `ToolError` speaks to the model: the text of any other
 * error was not made for it, and may hold what nobody should read. Never throws, whatever was thrown.
 */
export function failureOf(toolName: string, thrown: unknown): Failure {
  if (!ToolError.isInstance(thrown)) {
    const { name } = describeThrown(thrown);
    return {
      output: failureOutput(`${toolName} failed before completing`),
      eventText: `failed before completing (${CLASS_NAME.test(name) ? name : 'Error'})`,
    };
  }
  // It may come from another copy of the package, so its members are read with care.
  const words = readText(thrown, 'forModel') ?? 'the tool failed';
  const eventText = readText(thrown, 'eventText');
  const output = ToolRefused.isInstance(thrown)
    ? refusalOutput(words, missingOf(thrown))
    : failureOutput(words);
  return { output, ...(eventText !== undefined && { eventText }) };
}

/** An error may call itself anything, and what it calls itself is told to everybody. */
const CLASS_NAME = /^[\w$.]{1,60}$/;

function missingOf(thrown: ToolRefused): readonly string[] | undefined {
  if (!ArgumentsMissing.isInstance(thrown)) return undefined;
  try {
    const { missing } = thrown;
    return Array.isArray(missing) ? missing.map((name) => String(name).toWellFormed()) : [];
  } catch {
    // An error of another copy, or one that was tampered with, still is a refusal.
    return [];
  }
}
