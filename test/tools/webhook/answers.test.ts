import type { ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import {
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createDeflate,
  createGzip,
  deflateSync,
  gzipSync,
} from 'node:zlib';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { failureOf } from '../../../src/errors/tool-failure.ts';
import { Done } from '../../../src/tools/done.ts';
import { toolContext } from '../tool-context.ts';
import { service, thrownBy, webhook } from './service.ts';

const ctx = toolContext(undefined);
const GAP_MS = 50;

const says = (status: number, body: string | Buffer, headers: Record<string, string> = {}) =>
  service((_arrived, response) => response.writeHead(status, headers).end(body));

/** Writes a piece again and again until nobody takes it. */
function endless(response: ServerResponse, piece: Buffer | string, gapMs = 0): void {
  const timer = setInterval(() => response.write(piece), gapMs);
  response.on('close', () => clearInterval(timer));
}

function createFastBrotli(): NodeJS.ReadWriteStream {
  return createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
}

async function failureBy(origin: string, options: Record<string, unknown> = {}) {
  const error = await thrownBy(webhook({ url: origin, ...options }).run({}, ctx));
  const { output, eventText } = failureOf('note', error);
  return { words: String(output['error']), eventText, code: Reflect.get(error, 'code') };
}

describe('what a service answers', () => {
  test('U-C13: an empty success is ok, which is what Done says and another schema does not take', async () => {
    for (const [status, body] of [
      [200, ''],
      [204, ''],
      [200, ' \n'],
    ] as const) {
      const { origin } = await says(status, body);
      for (const more of [{}, { outputSchema: Done }])
        expect(await webhook({ url: origin, ...more }).run({}, ctx)).toEqual({ ok: true });
      const order = z.object({ id: z.string() });
      const { words } = await failureBy(origin, { outputSchema: order });
      expect(words).toMatch(/does not fit/);
    }
  });

  test('U-P18, U-P19, U-P20: of a JSON failure the model reads three members, and events the status', async () => {
    const { origin } = await says(409, '{"error":"full","code":"F1","debug":"stack trace"}');
    const { words, eventText, code } = await failureBy(origin);
    expect(words).toMatch(/HTTP 409.*full.*F1.*Do not claim success/);
    expect(words).not.toContain('stack');
    expect([eventText, code]).toEqual(['HTTP 409', 'tool-failed']);
  });

  test('U-P19: what is nested in `error` is read once, and nothing beside it', async () => {
    const { origin } = await says(
      402,
      '{"error":{"message":"declined","code":7,"raw":"4242","error":{"message":"deep"}}}',
    );
    const { words } = await failureBy(origin);
    expect(words).toMatch(/declined.*7/);
    expect(words).not.toMatch(/4242|deep/);
  });

  test('U-P19: of any other failure the model reads 300 characters', async () => {
    const { origin } = await says(500, '𝄞'.repeat(1000));
    const { words } = await failureBy(origin);
    expect([...words].filter((char) => char === '𝄞')).toHaveLength(300);
    const huge = await says(500, 'y'.repeat(100_000));
    expect((await failureBy(huge.origin)).eventText).toBe('HTTP 500');
  });

  test.each([408, 502, 504])('%i leaves open whether it was done', async (status) => {
    const { origin } = await says(status, '');
    expect(await failureBy(origin)).toMatchObject({
      code: 'outcome-unknown',
      eventText: `HTTP ${status}`,
    });
  });

  test('U-P22: a success that is no JSON was carried out and cannot be read', async () => {
    const { origin } = await says(200, '<html>');
    const { words, code } = await failureBy(origin);
    expect([code, words.includes('<html>')]).toEqual(['unreadable-output', false]);
    expect(words).toContain('not JSON');
  });

  test('U-P23: a 503, a 421 and a cut connection are one request each', async () => {
    for (const status of [503, 421, 429]) {
      const { origin, requests } = await says(status, '', { 'retry-after': '0' });
      await failureBy(origin);
      expect(requests).toHaveLength(1);
    }
    const { origin, requests } = await service((_arrived, response) => response.destroy());
    expect(await failureBy(origin, { method: 'GET' })).toMatchObject({ code: 'outcome-unknown' });
    expect(requests).toHaveLength(1);
  });

  test('nothing listens: the call was not made', async () => {
    const { origin, sockets } = await service();
    const closed = await failureBy(origin.replace(/\d+$/, '1'));
    expect(closed.code).toBe('tool-failed');
    expect(sockets.size).toBe(0);
  });

  test('the output schema checks what was answered', async () => {
    const { origin } = await says(200, '{"id":1,"__proto__":{"x":1}}');
    const outputSchema = z.object({ id: z.string() });
    expect((await thrownBy(webhook({ url: origin, outputSchema }).run({}, ctx))).message).toMatch(
      /does not fit/,
    );
    expect(await webhook({ url: origin }).run({}, ctx)).toEqual({ id: 1 });
  });

  test.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['GZIP', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('an answer as %s is read', async (encoding, compress) => {
    const { origin } = await says(200, compress('{"done":true}'), { 'content-encoding': encoding });
    expect(await webhook({ url: origin }).run({}, ctx)).toEqual({ done: true });
  });

  test.each([
    ['zstd', Buffer.from('x')],
    ['gzip, gzip', gzipSync(gzipSync('{}'))],
    ['gzip', Buffer.from('no gzip')],
    ['gzip', gzipSync('{"done":true}').subarray(0, 15)],
  ])('an answer as %s that cannot be decoded is a failure', async (encoding, body) => {
    const { origin } = await says(200, body, { 'content-encoding': encoding });
    expect(await failureBy(origin)).toMatchObject({ code: 'outcome-unknown' });
  });
});

describe('limits of an answer', () => {
  test('U-P17: 64 KiB are read, one byte more is not', async () => {
    const most = await says(200, `"${'x'.repeat(64 * 1024 - 2)}"`);
    expect(await webhook({ url: most.origin }).run({}, ctx)).toHaveLength(64 * 1024 - 2);
    const more = await says(200, `"${'x'.repeat(64 * 1024 - 1)}"`);
    expect(await failureBy(more.origin)).toMatchObject({ code: 'unreadable-output' });
  });

  test('U-P17, B78: an endless answer is cut and its connection closed', async () => {
    const { origin, open } = await service((_arrived, response) =>
      endless(response, 'x'.repeat(16_384)),
    );
    expect((await failureBy(origin)).words).toContain('64 KiB');
    await expect.poll(open).toBe(0);
  });

  test.each<[encoding: string, make: () => NodeJS.ReadWriteStream]>([
    ['gzip', createGzip],
    ['br', createFastBrotli],
    ['deflate', createDeflate],
  ])('B78: little %s that opens to more and more is cut at 64 KiB', async (encoding, make) => {
    const zeros = Buffer.alloc(1024 * 1024);
    let opened = 0;
    const { origin, open } = await service((_arrived, response) => {
      response.writeHead(200, { 'content-encoding': encoding });
      const bomb = new Readable({
        read() {
          opened += 1;
          this.push(zeros);
        },
      });
      pipeline(bomb, make(), response, () => undefined);
    });
    expect((await failureBy(origin)).words).toContain('64 KiB');
    await expect.poll(open).toBe(0);
    const before = opened;
    await new Promise((resolve) => setTimeout(resolve, GAP_MS));
    expect(opened).toBe(before);
  });

  test.each<[what: string, answer: (response: ServerResponse) => void]>([
    ['no headers', () => undefined],
    ['slow headers', (response) => endless(Object(response.socket), 'X-A: b\r\n', GAP_MS)],
    ['a slow body', (response) => endless(response, ' ', GAP_MS)],
    [
      'a body without an end',
      (response) => response.writeHead(200, { 'content-length': '10' }).write('{'),
    ],
    [
      'a slow gzip',
      (response) => {
        response
          .writeHead(200, { 'content-encoding': 'gzip' })
          .write(gzipSync('{}').subarray(0, 12));
      },
    ],
    [
      'only notices',
      (response) => {
        const timer = setInterval(() => response.writeProcessing(), GAP_MS);
        response.on('close', () => clearInterval(timer));
      },
    ],
  ])('U-P15: %s is cut at the limit, and its connection closed', async (_what, answer) => {
    const { origin, open } = await service((_arrived, response) => answer(response));
    const started = performance.now();
    expect(await failureBy(origin, { timeout: 1 })).toMatchObject({ code: 'outcome-unknown' });
    expect(performance.now() - started).toBeLessThan(2000);
    await expect.poll(open).toBe(0);
  });

  test('U-P15: redirects share the limit', async () => {
    const { origin, requests } = await service((_arrived, response) => {
      setTimeout(() => response.writeHead(307, { location: '/' }).end(), 400);
    });
    const started = performance.now();
    expect((await failureBy(origin, { timeout: 1 })).words).toContain('within 1 s');
    expect(performance.now() - started).toBeLessThan(2000);
    expect(requests.length).toBeLessThanOrEqual(3);
  });

  test('huge headers are cut', async () => {
    const { origin } = await service((_arrived, response) => {
      response.socket?.write(`HTTP/1.1 200 OK\r\nX-A: ${'x'.repeat(1024 * 1024)}`);
    });
    expect(await failureBy(origin)).toMatchObject({ code: 'outcome-unknown' });
  });

  test('U-P24: a cancel closes the connection', async () => {
    const { origin, open, requests } = await service(() => undefined);
    const controller = new AbortController();
    const call = thrownBy(webhook({ url: origin }).run({}, { ...ctx, signal: controller.signal }));
    await expect.poll(() => requests.length).toBe(1);
    controller.abort();
    expect((await call).message).toContain('cancelled');
    await expect.poll(open).toBe(0);
  });

  test('a call that is cancelled before it begins makes no connection', async () => {
    const { origin, sockets } = await service();
    await thrownBy(webhook({ url: origin }).run({}, { ...ctx, signal: AbortSignal.abort() }));
    expect(sockets.size).toBe(0);
  });
});
