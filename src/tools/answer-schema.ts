import { ConfigError } from '../errors/config-error.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { ToolDescription } from '../protocol/chat.ts';
import { type JsonProblem, readJsonObject } from '../protocol/read-json-object.ts';
import { type AnswerPort, FINAL_ANSWER } from './answer-port.ts';
import { type Checking, checkInput, type Parsed, parseInput } from './check-input.ts';
import { isSchema } from './check-options.ts';
import { answerJsonSchema } from './input-json-schema.ts';
import type { ToolPort } from './port.ts';
import type { ToolSchema } from './schema.ts';

/**
 * Makes of a schema what the loop needs to ask for an answer that fits it. Throws `ConfigError` for what is no object
 * schema, for a field that JSON Schema cannot express, and where a tool of the agent has the name of the one that is
 * added.
 */
export function answerSchema(
  where: string,
  schema: ToolSchema,
  tools: readonly ToolDescription[],
): AnswerPort {
  if (!isSchema(schema)) {
    throw new ConfigError('invalid-input', {
      where,
      what: '`output` is no schema',
      fix: 'Pass an object schema of zod 4, or of a library that gives JSON Schema the standard way',
    });
  }
  if (tools.some(({ name }) => name === FINAL_ANSWER)) {
    throw new ConfigError('duplicate-tool', {
      where,
      what: `\`output\` needs the name '${FINAL_ANSWER}' for a tool of its own, and a tool of the agent has it`,
      fix: 'Rename that tool',
    });
  }
  const jsonSchema = answerJsonSchema(schema, { code: 'invalid-input', where, member: 'output' });
  const checking: Checking = { subject: 'the answer', root: 'output', schema };
  const check: ToolPort['check'] = (value) => checkInput(checking, value);
  const tool = answerTool(check, Object.freeze({ ...ANSWER_TOOL, inputSchema: jsonSchema }));
  return Object.freeze({
    jsonSchema,
    read: (text: string): MaybePromise<Parsed> => readAnswer(text, checking),
    tool,
    descriptions: Object.freeze([...tools, tool.description]),
  });
}

const ANSWER_TOOL = {
  name: FINAL_ANSWER,
  description:
    'Gives the final answer and ends the turn. Call it once, alone, when every other call is done; an answer as text does not count',
};

/** To policies a tool like any other; the loop ends the turn where it would run. */
function answerTool(check: ToolPort['check'], description: ToolDescription): ToolPort<never> {
  return Object.freeze({
    name: FINAL_ANSWER,
    displayName: 'Final answer',
    tier: 'auto',
    sideEffects: 'none',
    parallel: false,
    description,
    check,
    run: (): never => {
      throw new TypeError(`the tool '${FINAL_ANSWER}' is never run`);
    },
  });
}

function readAnswer(text: string, checking: Checking): MaybePromise<Parsed> {
  const read = readJsonObject(withoutFence(text));
  return 'object' in read
    ? parseInput(checking, read.object)
    : { problem: problemText(read.problem) };
}

/** Many models put JSON into a block of code. Text around the block is not taken away: then the answer is no JSON. */
function withoutFence(text: string): string {
  const trimmed = text.trim();
  const head = trimmed.slice(0, trimmed.indexOf('\n') + 1);
  const isFenced = OPENING.test(head) && trimmed.endsWith(FENCE);
  return isFenced ? trimmed.slice(head.length, -FENCE.length) : trimmed;
}

const OPENING = /^```\w*\s*$/;
const FENCE = '```';

function problemText(problem: JsonProblem): string {
  switch (problem.kind) {
    case 'incomplete':
      return 'the answer is not complete JSON';
    case 'no-object':
      return 'the answer is not a JSON object';
    case 'too-deep':
      return 'the answer is nested too deeply';
    case 'unsafe-key':
      return `the answer holds the key '${problem.key}', which is never accepted`;
  }
}
