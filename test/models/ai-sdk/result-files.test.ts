import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AiSdkModel, fromAiSdk } from '../../../src/models/ai-sdk.ts';
import type { FilePart, ToolResultPart } from '../../../src/protocol/message.ts';
import { calling, request, results, uncancelled, user } from '../requests.ts';
import { ENDPOINTS } from './endpoints.ts';
import { FakeModel } from './fake-model.ts';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const URL_OF = 'https://example.com/a.pdf';
const image: FilePart = { type: 'file', mediaType: 'image/png', data: PNG };
const linked: FilePart = { type: 'file', mediaType: 'image/png', url: 'https://example.com/a.png' };
const paper: FilePart = { type: 'file', mediaType: 'application/pdf', url: URL_OF };
const named: FilePart = {
  type: 'file',
  mediaType: 'application/pdf',
  data: 'JVBERi0x',
  filename: 'a.pdf',
};

/** What the provider package is given as the output of one result. */
async function outputFor(
  part: Partial<ToolResultPart>,
  about: { readonly specificationVersion: string; readonly provider?: string },
): Promise<unknown> {
  const model = new FakeModel({});
  const versioned: AiSdkModel = {
    ...{ provider: 'fake', modelId: 'one', ...about },
    doGenerate: (options) => model.doGenerate(options as never),
    doStream: (options) => model.doStream(options as never),
  };
  const messages = [user('a'), calling({}), results(part)];
  await fromAiSdk(versioned).generate(request(messages), uncancelled());
  const content = model.seen[0]?.prompt.at(-1)?.content ?? [];
  const [result] = content as readonly { output: unknown }[]; // the last message holds results
  return result?.output;
}

describe('files of a result', () => {
  const files = [image, named, paper, linked];
  const text = { type: 'text', text: '{"page":1}' };

  test.each<[string, readonly unknown[]]>([
    [
      'v4',
      [
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: PNG } },
        {
          type: 'file',
          mediaType: 'application/pdf',
          data: { type: 'data', data: 'JVBERi0x' },
          filename: 'a.pdf',
        },
        { type: 'file', mediaType: 'application/pdf', data: { type: 'url', url: new URL(URL_OF) } },
        {
          type: 'file',
          mediaType: 'image/png',
          data: { type: 'url', url: new URL(linked.url ?? '') },
        },
      ],
    ],
    [
      'v3',
      [
        { type: 'image-data', data: PNG, mediaType: 'image/png' },
        { type: 'file-data', data: 'JVBERi0x', mediaType: 'application/pdf', filename: 'a.pdf' },
        { type: 'file-url', url: URL_OF },
        { type: 'image-url', url: linked.url },
      ],
    ],
    [
      'v2',
      [
        { type: 'media', data: PNG, mediaType: 'image/png' },
        { type: 'media', data: 'JVBERi0x', mediaType: 'application/pdf' },
        { type: 'text', text: `[file application/pdf: ${URL_OF}]` },
        { type: 'text', text: '[image image/png: https://example.com/a.png]' },
      ],
    ],
  ])(
    'T08: are parts of the content in the form of spec %s',
    async (specificationVersion, value) => {
      const part = { output: { page: 1 }, files };
      expect(await outputFor(part, { specificationVersion })).toEqual({
        type: 'content',
        value: [text, ...value],
      });
    },
  );

  test('T08: stand alone where there is no output, and are no part of an error', async () => {
    const about = { specificationVersion: 'v4' };
    for (const output of [null, ''])
      expect(await outputFor({ output, files: [image] }, about)).toMatchObject({
        value: [{ type: 'file' }],
      });
    expect(
      await outputFor({ output: 'no', files: [image], isError: true, outcome: 'failed' }, about),
    ).toEqual({ type: 'error-text', value: 'no' });
  });

  test('T08: are told of where an API takes only text, so that no bytes are read as words', async () => {
    const about = { specificationVersion: 'v4', provider: 'some.chat' };
    expect(await outputFor({ output: 'seen', files: [image] }, about)).toEqual({
      type: 'content',
      value: [
        { type: 'text', text: 'seen' },
        { type: 'text', text: '[image image/png, which this model cannot be shown]' },
      ],
    });
  });
});

const mock = new LLMock({ port: 0 });
const bodies: string[] = [];
beforeAll(async () => {
  mock.onMessage(/.*/, { content: 'A dot.' });
  await mock.start();
});
afterAll(() => mock.stop());

describe.each(ENDPOINTS)('$name', ({ open, wire }) => {
  test('T08: sends a picture as a picture where its API has a place for one', async () => {
    const sent = open(mock.url);
    const original = globalThis.fetch;
    bodies.length = 0;
    globalThis.fetch = (...args) => {
      bodies.push(String(args[1]?.body));
      return original(...args);
    };
    try {
      const messages = [user('hello'), calling({}), results({ output: 'a page', files: [image] })];
      const model = fromAiSdk(sent, { retry: false });
      await model.generate(request(messages), uncancelled());
    } finally {
      globalThis.fetch = original;
    }
    expect(bodies).toHaveLength(1);
    expect(bodies[0]).toContain('a page');
    if (wire === 'chat') expect(bodies[0]).not.toContain(PNG);
    else expect(bodies[0]).toMatch(wire === 'messages' ? /"type":"image"/ : /"type":"input_image"/);
  });
});
