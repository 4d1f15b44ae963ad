import { type ChatModel, createAgent, type JsonObject } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { strictSchema } from '../../../src/models/ai-sdk/strict-schema.ts';
import { type AiSdkModel, fromAiSdk } from '../../../src/models/ai-sdk.ts';
import { fallbackModel } from '../../../src/models/fallback.ts';
import { retryModel } from '../../../src/models/retry.ts';
import { routerModel } from '../../../src/models/router.ts';
import { scriptedModel } from '../../../src/models/scripted.ts';
import { expectStatus } from '../../acceptance/play.ts';
import { collect, request, uncancelled, user } from '../requests.ts';
import { FakeModel, finish } from './fake-model.ts';
import { mockOpenAi } from './mock-openai.ts';

const { mock, chat, responses, lastBody } = mockOpenAi();
const Answer = z.object({ city: z.string(), people: z.number().optional() });
const schema = z.toJSONSchema(Answer, { io: 'input' }) as JsonObject;
const strict = {
  type: 'object',
  properties: {
    city: { type: 'string' },
    people: { anyOf: [{ type: 'number' }, { type: 'null' }] },
  },
  required: ['city', 'people'],
  additionalProperties: false,
};

mock.onMessage('Where?', { content: '{"city":"Rome","people":null}' });
mock.onMessage('Where now?', { content: '{"city":7}' });
mock.onMessage('Give the final answer again', { content: '{"city":"Bern","people":3}' });
const byCall = { name: 'final_answer', arguments: '{"city":"Oslo"}', id: 'call_a' };
mock.onMessage('Where by call?', { content: '', toolCalls: [byCall] });

describe('a whole run on the real package for OpenAI', () => {
  test.each([
    ['chat', chat],
    ['responses', responses],
  ])('%s: is sent the schema strictly, and a null counts as absent', async (kind, model) => {
    const agent = createAgent({ name: 'a', model: model() });
    const result = await agent.run({ message: 'Where?', output: Answer });
    expect(expectStatus(result, 'completed')).toHaveProperty('output', { city: 'Rome' });
    if (kind === 'responses') return;
    expect(lastBody().response_format).toMatchObject({
      type: 'json_schema',
      json_schema: { strict: true, schema: strict },
    });
    expect(lastBody()).not.toHaveProperty('tools');
  });

  test('streamed: gives the same output', async () => {
    const agent = createAgent({ name: 'a', model: chat() });
    const { result } = agent.stream({ message: 'Where?', output: Answer });
    expect(await result).toMatchObject({ status: 'completed', output: { city: 'Rome' } });
  });

  test('T14: a mismatch is asked for again over the wire', async () => {
    const agent = createAgent({ name: 'a', model: chat() });
    const before = mock.journal.getAll().length;
    const result = await agent.run({ message: 'Where now?', output: Answer });
    expect(result).toMatchObject({ status: 'completed', steps: 2 });
    expect(result).toHaveProperty('output', { city: 'Bern', people: 3 });
    expect(mock.journal.getAll().length - before).toBe(2);
    expect(JSON.stringify(lastBody().messages)).toContain('city: Invalid input');
  });

  test('asked for a call, gives that as the answer', async () => {
    const agent = createAgent({ name: 'a', model: bound(chat()) });
    const result = await agent.run({ message: 'Where by call?', output: Answer });
    expect(result).toMatchObject({ status: 'completed', output: { city: 'Oslo' }, steps: 1 });
    expect(lastBody()).not.toHaveProperty('response_format');
    expect(lastBody().tools).toMatchObject([{ function: { name: 'final_answer' } }]);
  });

  test('twin: without a schema none is sent', async () => {
    const agent = createAgent({ name: 'a', model: chat() });
    await agent.run({ message: 'Where?' });
    expect(lastBody()).not.toHaveProperty('response_format');
  });
});

/** The same model, said to take no schema. */
function bound(model: ChatModel): ChatModel {
  return {
    id: model.id,
    generate: (asked, options) => model.generate(asked, options),
    stream: (asked, options) => model.stream(asked, options),
  };
}

describe('fromAiSdk', () => {
  const content = [{ type: 'text' as const, text: '{"city":"Rome"}' }];

  test('hands the schema over as the response format, whole and streamed', async () => {
    const fake = new FakeModel({ content, parts: [finish] });
    const model = fromAiSdk(fake);
    const asked = { ...request([user('Where?')]), outputSchema: schema };
    await model.generate(asked, uncancelled());
    await collect(model, asked);
    await model.generate(request([user('Where?')]), uncancelled());
    const format = { type: 'json', schema: expect.objectContaining(strict) };
    expect(fake.seen.map(({ responseFormat }) => responseFormat)).toEqual([
      format,
      format,
      undefined,
    ]);
  });

  test.each(['v2', 'v3', 'v4'])('takes a schema for a model of spec %s', async (version) => {
    const fake = Object.assign(new FakeModel({ content }), { specificationVersion: version });
    const model = fromAiSdk(fake as AiSdkModel);
    expect(model.capabilities).toEqual({ outputSchema: true });
    await model.generate({ ...request([user('x')]), outputSchema: schema }, uncancelled());
    expect(fake.seen[0]?.responseFormat).toMatchObject({ type: 'json' });
  });

  test('asks for a call where the option or the package says that it takes none', () => {
    const off = { capabilities: { outputSchema: false } };
    expect(fromAiSdk(new FakeModel({}), { outputSchema: false })).toMatchObject(off);
    const modest = Object.assign(new FakeModel({}), { supportsStructuredOutputs: false });
    expect(fromAiSdk(modest)).toMatchObject(off);
    const able = Object.assign(new FakeModel({}), { supportsStructuredOutputs: true });
    expect(fromAiSdk(able)).toMatchObject({ capabilities: { outputSchema: true } });
  });
});

describe('strictSchema', () => {
  test('B67: names every member as required, nested ones too, and leaves no other', () => {
    const nested = z.object({
      properties: z.array(z.object({ enum: z.enum(['a', 'b']).optional() })),
      required: z.string().default('x'),
      either: z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('a'), n: z.number().optional() }),
        z.object({ kind: z.literal('b') }),
      ]),
    });
    const made = strictSchema(z.toJSONSchema(nested, { io: 'input' }) as JsonObject);
    const nullable = (member: object) => ({ anyOf: [member, { type: 'null' }] });
    expect(made).toMatchObject({
      required: ['properties', 'required', 'either'],
      additionalProperties: false,
      properties: {
        required: nullable({ type: 'string' }),
        properties: {
          items: {
            required: ['enum'],
            additionalProperties: false,
            properties: { enum: nullable({ enum: ['a', 'b'] }) },
          },
        },
        either: {
          oneOf: [
            { required: ['kind', 'n'], properties: { kind: { const: 'a' } } },
            { required: ['kind'] },
          ],
        },
      },
    });
    expect(JSON.stringify(made)).not.toContain('default');
  });

  test('follows a schema that names itself', () => {
    const Tree: z.ZodType = z.lazy(() => z.object({ label: z.string(), next: Tree.optional() }));
    const json = z.toJSONSchema(z.object({ tree: Tree }), { io: 'input' }) as JsonObject;
    const made = JSON.stringify(strictSchema(json));
    expect(made.match(/"additionalProperties":false/g)).toHaveLength(2);
  });

  test('leaves what allows members of any name as it is', () => {
    const open = z.object({ by: z.record(z.string(), z.number()) });
    const made = strictSchema(z.toJSONSchema(open, { io: 'input' }) as JsonObject);
    expect(made).toMatchObject({
      properties: { by: { additionalProperties: { type: 'number' } } },
      additionalProperties: false,
    });
  });
});

describe('models around models', () => {
  const able = scriptedModel([], { capabilities: { outputSchema: true } });
  const plain = scriptedModel([]);

  test('take a schema where every model below does', () => {
    const takes = (model: { readonly capabilities?: { readonly outputSchema?: boolean } }) =>
      model.capabilities?.outputSchema === true;
    expect(takes(retryModel(able))).toBe(true);
    expect(takes(retryModel(plain))).toBe(false);
    expect(takes(fallbackModel([able, able]))).toBe(true);
    expect(takes(fallbackModel([able, plain]))).toBe(false);
    const routed = (models: { readonly a: ChatModel; readonly b: ChatModel }) =>
      routerModel({ models, route: () => 'a' });
    expect(takes(routed({ a: able, b: able }))).toBe(true);
    expect(takes(routed({ a: able, b: plain }))).toBe(false);
  });
});
