import { ConfigError, createAgent, hostTool, scriptedModel, tool } from 'agent-hooks';
import { webhookTool } from 'agent-hooks/tools/webhook';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

const fault = (build: () => unknown): ConfigError => {
  try {
    build();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
};

const plain = {
  name: 'look',
  description: 'Looks something up',
  inputSchema: z.object({ day: z.string(), order: z.object({ id: z.string() }).optional() }),
};
const builders = [
  ['tool', (more: object) => tool({ ...plain, execute: () => null, ...more } as never)],
  ['hostTool', (more: object) => hostTool({ ...plain, ...more } as never)],
  [
    'webhookTool',
    (more: object) => webhookTool({ ...plain, url: 'https://a.example.com/', ...more } as never),
  ],
] as const;
const agent = (more: object, options: object = {}) =>
  createAgent({
    name: 'desk',
    model: scriptedModel([]),
    tools: [tool({ ...plain, execute: () => null, ...more })],
    ...options,
  } as never);

describe.each(builders)('%s', (_, build) => {
  test('U-D1: takes lines to be said before it runs', () => {
    expect(build({ announce: 'Checking {{day}}.', announceWait: true }).announce).toMatchObject({
      lines: ['Checking {{day}}.'],
      waits: true,
    });
    expect(build({ announce: ['A.', ' ', 'B.'] }).announce).toMatchObject({
      lines: ['A.', 'B.'],
      waits: false,
    });
    expect(build({})).not.toHaveProperty('announce');
    expect(build({ announce: [' '] })).not.toHaveProperty('announce');
  });

  test.each([
    ['U-D2: no text', { announce: 5 }, '`announce` is not a line, or a list of lines'],
    ['U-D2: no list of texts', { announce: ['a', 5] }, '`announce`'],
    ['U-D2: no yes or no', { announceWait: 'yes' }, '`announceWait` is not true or false'],
    ['U-D2: no listed word', { interruption: 'stop' }, '`interruption` is '],
    [
      'U-D2: no listed word',
      { sideEffects: 'many' },
      "`sideEffects` is not 'none', 'idempotent' or",
    ],
    ['U-D2: no listed word', { tier: 'ask' }, "`tier` is not 'auto' or 'confirm'"],
    ['a wait for nothing', { announceWait: true }, 'there is nothing to wait for'],
    ['U-D3: another name', { anounce: 'x' }, 'Did you mean `announce`?'],
    ['names nothing', { announce: 'A {{}}' }, "'{{}}' names nothing"],
    ['names a result', { announce: '{{result.id}}' }, 'before there is one'],
    ['names what an argument has not', { announce: '{{order.ids}}' }, "Did you mean 'id'?"],
    [
      'names what is locked',
      { announce: '{{day}}', locked: { day: '{{today}}' } },
      'a locked argument, which nobody is told of',
    ],
    ['names what a text has not', { announce: '{{day.x}}' }, "the argument 'day' does not have"],
  ])('refuses: %s', (_name, more, words) => {
    expect(fault(() => build(more)).message).toContain(words);
  });
});

test('an argument with the name of a fact cannot be told from it', () => {
  const inputSchema = z.object({ session: z.string() });
  const build = () => agent({ inputSchema, announce: 'A {{session}}' });
  expect(fault(build).message).toContain('a fact of the run and an argument at once');
});

describe('an agent', () => {
  const stateSchema = z.object({ brand: z.object({ name: z.string() }).optional() });

  test.each<[why: string, more: object, ...rest: [options: object, words: string]]>([
    ['no argument, and no state', { announce: '{{dya}}' }, {}, "Did you mean 'day'?"],
    ['no argument, and no field', { announce: '{{brnd.name}}' }, { stateSchema }, "'brand'"],
    ['no key of a field', { announce: '{{brand.nme}}' }, { stateSchema }, "it names 'brand.nme'"],
    ['also of a line that is second', { announce: ['A', '{{nobody}}'] }, {}, "it names 'nobody'"],
  ])('refuses a line that names what is %s', (_, more, ...[options, words]) => {
    expect(fault(() => agent(more, options)).message).toContain(words);
  });

  test('takes arguments, fields and facts', () => {
    const announce = '{{day}} {{order.id}} {{brand.name}} {{session.x}} {{call.x}} {{sender.x}}';
    expect(() => agent({ announce }, { stateSchema })).not.toThrow();
  });

  test('takes any name of an open schema', () => {
    const inputSchema = z.looseObject({});
    expect(() => agent({ inputSchema, announce: '{{anything}}' })).not.toThrow();
  });

  test.each([
    ['onLine', 'say'],
    ['lineWaitMs', -1],
    ['lineWaitMs', '5'],
    ['language', 'no language'],
    ['language', ''],
    ['language', 'xx'],
    ['language', 5],
    ['timeZone', 'Madrid'],
    ['timeZone', ''],
    ['timeZone', 5],
  ])('refuses `%s: %j`', (option, value) => {
    const error = fault(() => agent({}, { [option]: value }));
    expect(error.message).toContain(`the option '${option}' has no usable value`);
  });

  test('takes a language and a zone', () => {
    const options = { language: 'es-MX', timeZone: 'America/Mexico_City', lineWaitMs: 0 };
    expect(() => agent({}, options)).not.toThrow();
  });
});
