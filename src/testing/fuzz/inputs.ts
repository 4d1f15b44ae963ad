import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import { TURN_ID } from '../text-payloads.ts';
import type { FuzzInput } from './fault.ts';
import type { FuzzPoint } from './fuzz-point.ts';
import type { FuzzSetting, ToolFacts } from './options.ts';
import { type Atoms, schemaValues } from './schema-values.ts';
import { type Arbitrary, type Fc, numbersOf, textsOf } from './texts.ts';
import { varied } from './varied.ts';
import type { Words } from './words.ts';

export interface InputSource {
  readonly fc: Fc;
  readonly words: Words;
  readonly setting: FuzzSetting;
  /** The longest text that is tried. */
  readonly maxLength: number;
  /** Instead of texts of every kind; it is then put wherever a text can be. */
  readonly texts?: Arbitrary<string>;
}

/** What a policy is asked at one point: everything an engine could hand to it there, and what the examples say. */
export function inputsOf(point: FuzzPoint, source: InputSource): Arbitrary<FuzzInput> {
  const { fc, words, setting } = source;
  const texts = source.texts ?? textsOf(fc, words, source.maxLength);
  const numbers = numbersOf(fc, words);
  const keys = fc.constantFrom('text', 'id', 'amount', ...words.names);
  const leaf = fc.oneof(texts, numbers, fc.boolean(), fc.constant(null));
  const flat = fc.oneof(
    leaf,
    fc.array(leaf, { maxLength: 3 }),
    fc.dictionary(keys, leaf, { maxKeys: 3, ...PLAIN }),
  );
  const json: Arbitrary<JsonValue> = fc.oneof(
    leaf,
    fc.dictionary(keys, flat, { maxKeys: 4, ...PLAIN }),
  );
  const isComplete = source.texts !== undefined;
  const parts = { ...source, texts, atoms: { fc, texts, numbers, json, isComplete }, keys, json };
  const model = { payload: payloadsAt(point, parts), messages: historiesOf(parts) };
  const made: Arbitrary<FuzzInput> = needsResult(point)
    ? fc.record({ ...model, result: resultsAt(point, parts) }, PLAIN)
    : fc.record(model, PLAIN);
  if (setting.examples.length === 0) return made;
  const examples = setting.examples.map((one) => varied({ fc, texts, numbers }, one as JsonValue));
  const fromExamples = fc
    .tuple(made, fc.oneof(...examples))
    .map(([base, payload]) => ({ ...base, payload }));
  return fc.oneof({ arbitrary: fromExamples, weight: 2 }, { arbitrary: made, weight: 1 });
}

/** As values come from JSON. */
const PLAIN = { noNullPrototype: true } as const;

interface Parts extends InputSource {
  readonly texts: Arbitrary<string>;
  readonly atoms: Atoms;
  readonly keys: Arbitrary<string>;
  readonly json: Arbitrary<JsonValue>;
}

function needsResult(point: FuzzPoint): boolean {
  return point === 'postToolUse' || point === 'wrapToolUse' || point === 'wrapLlmCall';
}

function payloadsAt(point: FuzzPoint, parts: Parts): Arbitrary<JsonValue> {
  const { fc, texts } = parts;
  const filled = texts.map((text) => (text === '' ? 'a' : text));
  switch (point) {
    case 'onTurnStart':
      return fc.record({ turnId: fc.constant(TURN_ID), isFirst: fc.boolean() }, PLAIN);
    case 'onUserMessage':
      return fc.record({ text: filled, attachments: fc.constant<JsonValue[]>([]) }, PLAIN);
    case 'systemPrompt':
      return texts;
    case 'preLlmRequest':
    case 'wrapLlmCall':
      return requestsOf(parts);
    case 'onTextWindow':
      return fc
        .tuple(texts, texts, fc.boolean())
        .map(([text, before, isFinal]) => ({ text, before, released: before.length, isFinal }));
    case 'onLlmResponse':
      return responsesOf(parts);
    case 'preToolUse':
    case 'wrapToolUse':
    case 'postToolUse':
      return invocationsOf(parts);
    case 'onKnowledgeQuery':
      return fc.record({ query: filled }, PLAIN);
    case 'onKnowledgeResults':
      return fc.record(
        { query: filled, passages: fc.array(passagesOf(parts), { maxLength: 4 }) },
        PLAIN,
      );
    case 'onOutgoingMessage':
      return fc.record({ text: filled, isFinal: fc.boolean() }, PLAIN);
    case 'onError':
      return fc.constantFrom(
        'overloaded',
        'rate-limited',
        'auth-failed',
        'timed-out',
        'tool-failed',
        'hook-failed',
      );
    case 'onContextCompact':
      return historiesOf(parts, 1);
  }
}

function resultsAt(point: FuzzPoint, { fc, texts, json }: Parts): Arbitrary<JsonValue> {
  if (point === 'wrapLlmCall') return texts;
  return fc
    .tuple(fc.constantFrom('succeeded', 'succeeded', 'failed'), json)
    .map(([outcome, output]) => ({ outcome, isError: outcome !== 'succeeded', output }));
}

/** Texts of both sides in turn. Results of tools come in by the option `messages`: what they are only the test knows. */
function historiesOf({ fc, texts, atoms }: Parts, minLength = 0): Arbitrary<JsonValue[]> {
  const length = { minLength: atoms.isComplete ? 3 : minLength, maxLength: 5 };
  return fc
    .array(
      texts.map((text) => (text === '' ? 'a' : text)),
      length,
    )
    .map((all) =>
      all.map((text, index) => ({
        role: index % 2 === 0 ? 'user' : 'assistant',
        content: [{ type: 'text', text }],
      })),
    );
}

function requestsOf(parts: Parts): Arbitrary<JsonValue> {
  const { fc, texts, setting } = parts;
  const tools = setting.tools.map(({ name, inputSchema }) => ({
    name,
    description: name,
    inputSchema,
  }));
  return fc.tuple(texts, historiesOf(parts, 1)).map(([prompt, history]) => {
    // The last to speak is the user, as it is in what is sent.
    const messages = history.length % 2 === 0 ? history.slice(0, -1) : history;
    const system = prompt === '' ? [] : [{ role: 'system', content: prompt }];
    return { messages: [...system, ...messages], settings: {}, tools };
  });
}

function responsesOf(parts: Parts): Arbitrary<JsonValue> {
  const { fc, texts } = parts;
  const calls = fc.array(callsOf(parts), { maxLength: 2 });
  return fc.tuple(texts, texts, calls).map(([text, reasoning, made]) => {
    const toolCalls = made.map(({ tool, input }, index) => ({
      callId: `${TURN_ID}.1.${index}`,
      providerCallId: `call_${index + 1}`,
      toolName: tool.name,
      input,
    }));
    const content: JsonValue[] = [
      ...(reasoning === '' ? [] : [{ type: 'reasoning', text: reasoning }]),
      ...(text === '' ? [] : [{ type: 'text', text }]),
      ...toolCalls.map((call) => ({ type: 'tool-call', ...call })),
    ];
    return {
      id: 'msg_1',
      model: 'scripted',
      content,
      text,
      reasoning,
      toolCalls,
      finishReason: toolCalls.length > 0 ? 'tool-calls' : 'stop',
      usage: { inputTokens: 10, outputTokens: 20 },
      latencyMs: 1,
    };
  });
}

function passagesOf({ fc, texts }: Parts): Arbitrary<JsonValue> {
  return fc.record({ text: texts, scope: fc.constantFrom('docs', 'other'), source: texts }, PLAIN);
}

function invocationsOf(parts: Parts): Arbitrary<JsonValue> {
  const { fc } = parts;
  const approval = fc.constantFrom(null, null, null, true, false);
  return fc
    .tuple(callsOf(parts), approval, fc.nat({ max: 2 }))
    .map(([{ tool, input }, approved, index]) => ({
      callId: `${TURN_ID}.1.${index}`,
      providerCallId: `call_${index + 1}`,
      toolName: tool.name,
      displayName: tool.displayName,
      tier: tool.tier,
      sideEffects: tool.sideEffects,
      requestedInput: input,
      effectiveInput: input,
      batch: { index, size: index + 1 },
      ...(approved !== null && {
        approval: { approvalId: 'approval-1', approved, by: 'approver' },
      }),
    }));
}

interface MadeCall {
  readonly tool: Omit<ToolFacts, 'inputSchema'>;
  readonly input: JsonValue;
}

/** Calls of the tools of the agent, or of any, named as the policy names them. */
function callsOf({ fc, setting, words, keys, json, atoms }: Parts): Arbitrary<MadeCall> {
  const known = words.texts.filter((text) => /^[\w-]{1,64}$/.test(text));
  const names = fc.constantFrom(
    ...(atoms.isComplete && known.length > 0 ? [] : ['other_tool']),
    ...known,
  );
  const anyTool = fc
    .tuple(names, fc.constantFrom('auto', 'confirm'), fc.constantFrom('none', 'idempotent', 'once'))
    .map(([name, tier, sideEffects]) => ({ name, displayName: name, tier, sideEffects }));
  const anyInput: Arbitrary<JsonValue> = atoms.isComplete
    ? fc.record(
        Object.fromEntries(['text', ...words.names].map((name) => [name, atoms.texts])),
        PLAIN,
      )
    : fc.dictionary(keys, json, { maxKeys: 5, ...PLAIN });
  const { tools } = setting;
  const unknown =
    tools.length === 0 ? anyTool : anyTool.map((tool) => ({ ...tool, name: 'other_tool' }));
  const any = fc.record({ tool: unknown, input: anyInput });
  if (tools.length === 0) return any;
  const ours = tools.map((tool) => {
    const values = schemaValues(atoms, tool.inputSchema, tool.inputSchema as JsonObject);
    const { name, displayName, tier, sideEffects } = tool;
    return fc.record({
      tool: fc.constant({ name, displayName, tier, sideEffects }),
      input: values,
    });
  });
  if (atoms.isComplete) return fc.oneof(...ours);
  return fc.oneof({ arbitrary: fc.oneof(...ours), weight: 5 }, { arbitrary: any, weight: 1 });
}
