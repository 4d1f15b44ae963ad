import { AgentHooksError } from './base.ts';

/**
 * `tool-failed`: the tool did not do what it was called for. `tool-refused` and `arguments-missing`: it did nothing,
 * because something it needs is not there. `unreadable-output`: it did, and only what it returned is of no use; a
 * call that must not run twice then counts as one of unknown outcome. `outcome-unknown`: it may have, and nobody can
 * tell, as after a connection that was cut: for a call that must not run twice it counts the same.
 */
export type ToolErrorCode =
  | 'tool-failed'
  | 'tool-refused'
  | 'arguments-missing'
  | 'unreadable-output'
  | 'outcome-unknown'
  | OperationErrorCode;

/** Why an operation of a listen tool was not carried out; see `OperationError`. */
export type OperationErrorCode =
  | 'operation-not-ready'
  | 'operation-too-many-updates'
  | 'operation-timed-out'
  | 'operation-expired'
  | 'operation-stale'
  | 'operation-invalid-update'
  | 'operation-not-stored';

export interface ToolErrorOptions {
  readonly cause?: unknown;
  readonly code?: ToolErrorCode;
  /**
   * What the event `tool.failed` tells, and the `message` of this error: words without a value of the call. Default:
   * the event tells nothing but the outcome, as words made for the model may hold anything.
   */
  readonly eventText?: string;
}

/**
 * Thrown inside `execute` to tell the model, in words made for it, why the tool failed. It reads them as
 * `{ "error": "<words> Do not claim success." }`. Of any other error a tool throws it reads no word, only that the
 * tool failed before completing.
 */
export class ToolError extends AgentHooksError {
  readonly code: ToolErrorCode;
  /** What the model reads. */
  readonly forModel: string;
  /** What events may tell of it. */
  readonly eventText?: string;

  constructor(forModel: string, options: ToolErrorOptions = {}) {
    // A caller without types may have passed anything, and what a model reads is stored.
    const words = wellFormed(forModel) ?? SAID_NOTHING;
    const eventText = wellFormed(options.eventText);
    super(
      { where: 'tool', what: eventText ?? words, fix: 'The model reads this and may try again' },
      'cause' in options ? { cause: options.cause } : undefined,
    );
    this.name = 'ToolError';
    this.code = options.code ?? 'tool-failed';
    this.forModel = words;
    if (eventText !== undefined) this.eventText = eventText;
  }
}

const SAID_NOTHING = 'the tool failed and did not say why';

function wellFormed(text: unknown): string | undefined {
  return typeof text === 'string' ? text.toWellFormed() : undefined;
}

/**
 * The tool did nothing, because something it needs is not known yet. The words say what, and what to do about it:
 * the model reads them as `{ "refused": "<words>" }`. In every other respect it is a failure.
 */
export class ToolRefused extends ToolError {
  constructor(forModel: string, options: ToolErrorOptions = {}) {
    super(forModel, { code: 'tool-refused', ...options });
    this.name = 'ToolRefused';
  }
}

/**
 * Required arguments are absent or blank. The model reads `{ "refused": "<words>", "missing": ["<name>"] }`. The
 * engine answers so by itself for what `inputSchema` requires; throw it for what a tool requires beyond that.
 */
export class ArgumentsMissing extends ToolRefused {
  /** The names of the arguments, in the order of the schema. */
  readonly missing: readonly string[];

  constructor(
    missing: readonly string[],
    options: { readonly toolName?: string; readonly blank?: readonly string[] } = {},
  ) {
    const names = Object.freeze(missing.map(String));
    const words = missingWords(names, options);
    super(words, { code: 'arguments-missing', eventText: words });
    this.name = 'ArgumentsMissing';
    this.missing = names;
  }
}

/** Says of a blank one that it was blank: a model that only reads "missing" may send the same call again. */
function missingWords(
  missing: readonly string[],
  { toolName, blank = [] }: { readonly toolName?: string; readonly blank?: readonly string[] },
): string {
  const absent = missing.filter((name) => !blank.includes(name));
  const empty = missing.filter((name) => blank.includes(name));
  const said = [
    ...(absent.length > 0 ? [`Still needed: ${absent.join(', ')}.`] : []),
    ...(empty.length > 0 ? [`Sent without any text in it: ${empty.join(', ')}.`] : []),
  ];
  const again = toolName === undefined ? 'call the tool again' : `call ${toolName} again`;
  return `${said.join(' ')} Ask the user, then ${again}.`;
}

/**
 * A tool call failed, as `onError` is asked about it and as it is the `error` of a turn that ends over it. The
 * message quotes nothing of the call: `forModel` is what the model would read, and `cause` what the tool threw, in this
 * process only and not for policies.
 */
export class ToolCallError extends AgentHooksError {
  readonly code = 'tool-failed';
  readonly toolName: string;
  readonly callId: string;
  /** The result of the call as text, after `postToolUse`. Empty for a result that has none. */
  readonly forModel: string;

  constructor(
    call: {
      readonly toolName: string;
      readonly callId: string;
      readonly forModel: string;
    },
    options?: { readonly cause: unknown },
  ) {
    super(
      {
        where: `tool '${call.toolName}', call '${call.callId}'`,
        what: 'the call failed',
        fix: 'See `forModel` and the tool itself; a call is never run again by the engine',
      },
      options,
    );
    this.name = 'ToolCallError';
    this.toolName = call.toolName;
    this.callId = call.callId;
    this.forModel = call.forModel;
  }
}
