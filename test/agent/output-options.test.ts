import { ConfigError, createAgent, scriptedModel, tool } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { answer, answering, GOOD, go } from '../loop/answering.ts';

const standard = {
  '~standard': {
    version: 1 as const,
    vendor: 'acme',
    validate: (value: unknown) => ({ value: value as { n: number } }),
  },
};

async function refusal(output: unknown): Promise<ConfigError> {
  const { agent, model, store } = answering({ way: 'native', script: ['never'] });
  const runs = [
    agent.run({ ...go, output: output as typeof go.output }),
    agent.runStep({ ...go, output: output as typeof go.output }),
    agent.stream({ ...go, output: output as typeof go.output }).result,
    agent.resume({ threadId: 't', output: output as typeof go.output }),
    agent.streamResume({ threadId: 't', output: output as typeof go.output }).result,
  ];
  const errors = await Promise.all(runs.map((run) => run.catch((error: unknown) => error)));
  expect(model.calls).toBe(0);
  expect(await store.load('t')).toBeUndefined();
  for (const error of errors) expect(ConfigError.isInstance(error)).toBe(true);
  return errors[0] as ConfigError;
}

describe('an output schema', () => {
  test.each([null, 7, 'schema', {}, { type: 'object' }, { '~standard': null }])(
    'that is %j is refused before a thread is touched',
    async (output) => {
      expect(await refusal(output)).toMatchObject({ code: 'invalid-input' });
    },
  );

  test('B65: with a field that JSON cannot express is refused, and the field is named', async () => {
    const schema = z.object({ order: z.object({ placed: z.date() }) });
    const error = await refusal(schema);
    expect(error.code).toBe('invalid-input');
    expect(error.message).toContain("'order.placed'");
    expect(error.message).toContain('agent.run');
  });

  test('that is no object is refused, as providers take no other', async () => {
    expect((await refusal(z.array(z.string()))).message).toContain('Wrap it');
  });

  test('of a library that gives no JSON Schema is refused by its name', async () => {
    expect((await refusal(standard)).message).toContain("'acme'");
  });

  test('of a library that gives one is shown and asked', async () => {
    const jsonSchema = { type: 'object', properties: { n: { type: 'number' } } };
    const output = {
      '~standard': { ...standard['~standard'], jsonSchema: { input: () => jsonSchema } },
    };
    const { agent, model } = answering({ way: 'native', script: ['{"n":1}'] });
    const result = await agent.run({ message: 'x', output });
    expect(result).toMatchObject({ status: 'completed', output: { n: 1 } });
    expect(model.requests[0]?.outputSchema).toEqual(jsonSchema);
  });

  test('B66: is shown by its input side: what has a default is optional', async () => {
    const output = z.object({ n: z.number().default(5), at: z.string().transform(Number) });
    const { agent, model } = answering({ way: 'native', script: ['{"at":"3"}'] });
    expect(await agent.run({ message: 'x', output })).toMatchObject({ output: { n: 5, at: 3 } });
    expect(model.requests[0]?.outputSchema).toMatchObject({
      properties: { n: { type: 'number' }, at: { type: 'string' } },
      required: ['at'],
    });
  });

  test('is made ready once for an agent', async () => {
    const { agent, model } = answering({
      way: 'native',
      script: [answer('native', GOOD), answer('native', GOOD)],
    });
    await agent.run(go);
    await agent.run(go);
    expect(model.requests[1]?.outputSchema).toBe(model.requests[0]?.outputSchema);
  });

  test('is refused where a tool of the agent has the name of the one that is added', async () => {
    const own = tool({
      name: 'final_answer',
      description: 'Ours',
      inputSchema: z.object({}),
      execute: () => null,
    });
    const agent = createAgent({ name: 'a', model: scriptedModel(['text']), tools: [own] });
    await expect(agent.run(go)).rejects.toMatchObject({ code: 'duplicate-tool' });
    expect(await agent.run({ message: 'x' })).toMatchObject({ status: 'completed', text: 'text' });
  });

  test('a misspelled `output` is no missing one', async () => {
    const { agent } = answering({ way: 'native', script: [] });
    const misspelled = { message: 'x', outputs: go.output } as { message: string };
    await expect(agent.run(misspelled)).rejects.toMatchObject({
      code: 'unknown-option',
      message: expect.stringContaining("'output'"),
    });
  });
});
