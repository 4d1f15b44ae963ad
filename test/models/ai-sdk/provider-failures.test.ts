import { type AddressInfo, createServer } from 'node:net';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { ModelError } from '../../../src/errors/model-error.ts';
import { fromAiSdk } from '../../../src/models/ai-sdk.ts';
import type { ChatModel } from '../../../src/models/port.ts';
import { collect, failure, request, uncancelled, user } from '../requests.ts';
import { ENDPOINTS, type Endpoint, KEY } from './endpoints.ts';
import { opening, openStream, type Reply, wireServer } from './wire-server.ts';

const server = wireServer();
const closedPort = await portOfNobody();
const prompt = 'MY-PROMPT';
const asked = request([user(prompt)]);
const said = (error: object) => ({
  type: 'error',
  error: { message: `LEAK ${KEY}`, type: 'error', ...error },
});

const statuses: readonly (readonly [string, Reply & object, object])[] = [
  [
    '429',
    { status: 429, headers: { 'retry-after': '7' } },
    { code: 'rate-limited', retryAfterMs: 7_000 },
  ],
  [
    '429 in ms',
    { status: 429, headers: { 'retry-after-ms': '12' } },
    { code: 'rate-limited', retryAfterMs: 12 },
  ],
  ['no credit', { status: 402 }, { code: 'quota-exceeded', retryable: false }],
  [
    'no quota, in a form that no package reads',
    { status: 429, body: { error: { code: 'insufficient_quota' } } },
    { code: 'quota-exceeded' },
  ],
  [
    'no quota',
    { status: 429, body: said({ code: 'insufficient_quota', type: 'billing_error' }) },
    { code: 'quota-exceeded', retryable: false },
  ],
  ['401', { status: 401 }, { code: 'auth-failed', retryable: false }],
  ['403', { status: 403 }, { code: 'auth-failed', retryable: false }],
  ['400', { status: 400 }, { code: 'invalid-request', retryable: false }],
  ['404', { status: 404 }, { code: 'invalid-request', retryable: false }],
  ['408', { status: 408 }, { code: 'timed-out', retryable: true }],
  ['413', { status: 413 }, { code: 'context-overflow', retryable: false }],
  [
    'too long',
    { status: 400, body: said({ message: 'prompt is too long: 9 tokens > 5 maximum' }) },
    { code: 'context-overflow', retryable: false },
  ],
  [
    'filtered',
    { status: 400, body: said({ code: 'content_filter', type: 'content_filter' }) },
    { code: 'refused', retryable: false },
  ],
  ['500', { status: 500 }, { code: 'server-error', retryable: true }],
  ['503', { status: 503 }, { code: 'overloaded', retryable: true }],
  ['529', { status: 529 }, { code: 'overloaded', retryable: true }],
];

const breaks: readonly (readonly [string, Reply, object])[] = [
  [
    'ends in the middle',
    (response, wire) => openStream(response).end(opening(wire)),
    { code: 'network' },
  ],
  [
    'is cut off',
    async (response, wire) => {
      openStream(response).write(opening(wire));
      await new Promise((resolve) => setTimeout(resolve, 10));
      response.destroy();
    },
    { code: 'network' },
  ],
  [
    'is overloaded',
    (response, wire) =>
      openStream(response).end(opening(wire) + wire.frame(wire.failure('overloaded'))),
    { code: 'overloaded' },
  ],
  [
    'meets a limit',
    (response, wire) =>
      openStream(response).end(opening(wire) + wire.frame(wire.failure('rate-limited'))),
    { code: 'rate-limited' },
  ],
];

describe.each(ENDPOINTS)('$name', (endpoint: Endpoint) => {
  const model = (): ChatModel => fromAiSdk(endpoint.open(server.url), { retry: false });

  test.each(statuses)('answered %s fails as what it is', async (_, reply, shape) => {
    server.answer(reply, reply);
    const whole = await failure(model().generate(asked, uncancelled()));
    const { parts, error } = await collect(model(), asked);
    expect(parts).toEqual([]);
    for (const one of [whole, error]) {
      expect(one).toBeInstanceOf(ModelError);
      expect(one).toMatchObject(shape);
    }
  });

  test('reads when to come back as a date too', async () => {
    const future = new Date(Date.now() + 3_600_000).toUTCString();
    server.answer({ status: 429, headers: { 'retry-after': future } });
    const error = await failure(model().generate(asked, uncancelled()));
    expect(error).toHaveProperty('retryAfterMs', expect.closeTo(3_600_000, -4));
  });

  test.each(breaks)(
    'whose stream %s fails, and no part says that it is finished',
    async (_, reply, shape) => {
      server.answer(reply);
      const { parts, error } = await collect(model(), asked);
      expect(parts.some((part) => part.type === 'finish')).toBe(false);
      expect(error).toMatchObject({ name: 'ModelError', retryable: true, ...shape });
    },
  );

  test('whose calls are cut off fails, and is not asked for them', async () => {
    const calls = [{ id: 'a', name: 'look', input: '{"id":"A-1","more":"and more"}' }];
    server.answer((response, wire) => {
      const events = wire.events({ calls }).map(wire.frame);
      const cut = events.findIndex(
        (event) => event.includes('{\\"id') || event.includes('{\\\\\\"id'),
      );
      openStream(response).end(events.slice(0, cut + 1).join(''));
    });
    const { parts, error } = await collect(model(), asked);
    expect(parts.some((part) => part.type === 'tool-input')).toBe(true);
    expect(error).toMatchObject({ code: 'network' });
    expect(parts.some((part) => part.type === 'finish')).toBe(false);
  });

  test('that answers with something else fails as unreadable', async () => {
    server.answer(
      (response) => response.end('<html>'),
      (response) => response.end('<html>'),
    );
    const whole = await failure(model().generate(asked, uncancelled()));
    expect(whole).toMatchObject({ code: 'invalid-response', retryable: false });
    const { error } = await collect(model(), asked);
    expect(error).toBeInstanceOf(ModelError);
  });

  test('that nobody can reach fails as the network', async () => {
    const nobody = fromAiSdk(endpoint.open(`http://127.0.0.1:${closedPort}`), { retry: false });
    const whole = await failure(nobody.generate(asked, uncancelled()));
    const { error } = await collect(nobody, asked);
    for (const one of [whole, error])
      expect(one).toMatchObject({ code: 'network', retryable: true });
  });

  test('B63: keeps keys, headers and prompts out of everything an error shows', async () => {
    const secret = { 'x-secret': 'HEADER-VALUE', 'retry-after': '1' };
    server.answer({
      status: 400,
      headers: secret,
      body: said({ message: `Bad key ${KEY} for you` }),
    });
    const error = await failure(model().generate(asked, uncancelled()));
    const shown = [
      String(error),
      JSON.stringify(error),
      inspect(error, { depth: 9, showHidden: true }),
    ];
    for (const text of shown) {
      expect(text).not.toMatch(new RegExp(`${KEY}|HEADER-VALUE|${prompt}|127\\.0\\.0\\.1`));
    }
    expect(String(error)).not.toContain('Bad key');
    expect(shown[2]).toContain('Bad key [redacted] for you');
  });

  test.each(['a whole answer', 'the first part', 'a further part'])(
    'closes the connection on a cancel while it waits for %s',
    async (wait) => {
      const silent: Reply = (response, wire) => {
        if (wait === 'a further part') openStream(response).write(opening(wire));
      };
      server.answer(silent);
      const controller = new AbortController();
      const { signal } = controller;
      const reason = new Error('enough');
      const calling =
        wait === 'a whole answer'
          ? failure(fromAiSdk(endpoint.open(server.url)).generate(asked, { signal }))
          : collect(fromAiSdk(endpoint.open(server.url)), asked, { signal }).then(
              ({ error }) => error,
            );
      await expect.poll(() => server.received.length).toBe(1);
      if (wait === 'a further part') await new Promise((resolve) => setTimeout(resolve, 20));
      controller.abort(reason);
      expect(await calling).toBe(reason);
      await server.received[0]?.aborted;
      expect(server.received).toHaveLength(1);
    },
  );
});

/** A port that was free a moment ago, and that nobody is given while this runs. */
async function portOfNobody(): Promise<number> {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as AddressInfo; // It listens on a port.
  await new Promise((resolve) => taken.close(resolve));
  return port;
}
