import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type HookContext,
  MessageDecision,
  Policy,
  scriptedModel,
  ToolError,
  type ToolInvocation,
  type ToolResult,
  toolResultsOf,
} from '../../src/index.ts';
import { ofType } from './evidence.ts';
import { counted, expectStatus, MODES, play } from './play.ts';
import { expectSound, resultsIn } from './traces.ts';

/** Answers with an error, with nothing in time, or well. */
const server = createServer((request, response) => {
  if (request.url === '/hangs') return;
  response.writeHead(request.url === '/fails' ? 500 : 200).end('booked');
});
beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
afterAll(
  () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    }),
);

function booking(path: string) {
  return counted('book', {
    timeoutMs: path === '/hangs' ? 60 : 4_000,
    execute: async ({ signal }) => {
      const { port } = server.address() as AddressInfo; // It listens on a port.
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', signal });
      if (!answer.ok) throw new ToolError(`the booking service answered ${answer.status}`);
      return answer.text();
    },
  });
}

/** Counts what was booked, and lets nobody say that it was when it was not. */
class Honest extends Policy {
  override readonly name: string = 'honest';

  override postToolUse(_call: ToolInvocation, result: ToolResult, ctx: HookContext): undefined {
    if (result.outcome === 'succeeded') ctx.memory.set('booked', true);
  }

  override onOutgoingMessage(_text: unknown, ctx: HookContext): MessageDecision | undefined {
    const failed = ctx.messages.flatMap(toolResultsOf).some(({ isError }) => isError);
    return failed ? MessageDecision.block('it was not booked') : undefined;
  }
}

const script = [{ toolCalls: [{ name: 'book' }] }, 'Your table is booked!'];
const fallbacks = { outgoing: 'I could not book that. Please call us.' };

describe.each(MODES)('%s', (mode) => {
  test.each([
    ['/fails', 'failed', 'the booking service answered 500'],
    ['/hangs', 'unknown', 'Outcome unknown'],
  ] as const)(
    'B80: an endpoint that %s is an error result, nothing is remembered, and the user can be told',
    async (path, outcome, told) => {
      const book = booking(path);
      const model = scriptedModel(script, { strict: true });
      const scene = { model, tools: [book.tool], hooks: [new Honest()], fallbacks };
      const played = await play(mode, { ...scene, cancelGraceMs: 50 });
      expect(expectStatus(played.result, 'blocked').text).toBe(fallbacks.outgoing);
      expect(book.inputs).toHaveLength(1);
      const result = resultsIn(await played.store.readMessages('t'))['1.1.0'];
      expect(result?.outcome).toBe(outcome);
      expect(JSON.stringify(result?.output)).toContain(told);
      expect(JSON.stringify(model.requests[1])).toContain(told);
      expect((await played.store.load('t'))?.memory).toEqual({});
      const said = ofType(played.streamed, 'message.outgoing').filter((each) => !each.discarded);
      expect(said.map(({ text }) => text)).toEqual([fallbacks.outgoing]);
      await expectSound(played);
    },
  );

  test('B80, without the policy: the conversation goes on as if the table were booked', async () => {
    const scene = { model: scriptedModel(script), tools: [booking('/fails').tool], fallbacks };
    const played = await play(mode, scene);
    expect(expectStatus(played.result, 'completed').text).toBe('Your table is booked!');
  });

  test('B80, with an endpoint that works: it is remembered and said', async () => {
    const scene = { model: scriptedModel(script), tools: [booking('/works').tool], fallbacks };
    const played = await play(mode, { ...scene, hooks: [new Honest()] });
    expect(expectStatus(played.result, 'completed').text).toBe('Your table is booked!');
    expect((await played.store.load('t'))?.memory).toEqual({ honest: { booked: true } });
  });
});
