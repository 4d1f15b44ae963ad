import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { createAgent } from '../../../src/agent/create-agent.ts';
import { ToolRefused } from '../../../src/errors/tool-error.ts';
import { scriptedModel } from '../../../src/models/scripted.ts';
import { Accepted } from '../../../src/tools/done.ts';
import { WebhookAuth } from '../../../src/tools/webhook/auth.ts';
import { toolContext } from '../tool-context.ts';
import { OK, service, thrownBy, webhook } from './service.ts';

const ctx = toolContext(undefined);
const later = { waitForResponse: false, outputSchema: Accepted, tier: 'auto' } as const;

function failures(): unknown[] {
  const heard: unknown[] = [];
  const hear = (message: unknown) => heard.push(message);
  subscribe('agent-hooks:webhook.background-failed', hear);
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  onTestFinished(() => {
    unsubscribe('agent-hooks:webhook.background-failed', hear);
    warned.mockRestore();
  });
  return heard;
}

describe('a webhook nobody waits for', () => {
  test('U-R1, U-R3, U-R8: the call is accepted at once, and drain waits for the send', async () => {
    const answered: boolean[] = [];
    const { origin } = await service((arrived, response) => {
      setTimeout(() => {
        answered.push(true);
        OK(arrived, response);
      }, 300);
    });
    const tool = webhook({ url: origin, ...later });
    expect(await tool.run({}, ctx)).toEqual({ ok: true, accepted: true });
    expect(answered).toEqual([]);
    await tool.drain();
    expect(answered).toEqual([true]);
  });

  test('U-R2: a failure is told to the process, and nothing rejects', async () => {
    const heard = failures();
    const { origin } = await service((_arrived, response) => response.writeHead(500).end('secret'));
    const tool = webhook({ url: origin, ...later });
    expect(await tool.run({}, ctx)).toEqual({ ok: true, accepted: true });
    await tool.drain();
    expect(heard).toEqual([
      expect.objectContaining({ callId: ctx.callId, error: expect.anything() }),
    ]);
    expect(process.emitWarning).toHaveBeenCalledOnce();
  });

  test('U-R5: a server that hangs is given up at the limit', async () => {
    const heard = failures();
    const { origin, open } = await service(() => undefined);
    const tool = webhook({ url: origin, ...later, timeout: 1 });
    await tool.run({}, ctx);
    await tool.drain();
    expect(heard).toHaveLength(1);
    await expect.poll(open).toBe(0);
  });

  test('U-R7: what is not set is refused at once', async () => {
    const { origin, sockets } = await service();
    const auth = WebhookAuth.bearer('NOT_SET_ANYWHERE');
    for (const options of [{ url: `${origin}/{{session.id}}` }, { url: origin, auth }])
      expect(
        ToolRefused.isInstance(await thrownBy(webhook({ ...options, ...later }).run({}, ctx))),
      ).toBe(true);
    expect(sockets.size).toBe(0);
  });

  test.each([
    ['eight', {}, 8],
    ['the tool says', { maxConcurrent: 3 }, 3],
  ] as const)('U-R9: no more than %s are under way', async (_name, more, atOnce) => {
    let now = 0;
    let most = 0;
    const { origin, requests } = await service((arrived, response) => {
      now += 1;
      most = Math.max(most, now);
      setTimeout(() => {
        now -= 1;
        OK(arrived, response);
      }, 20);
    });
    const tool = webhook({ url: origin, ...later, ...more });
    await Promise.all(Array.from({ length: 30 }, () => tool.run({}, ctx)));
    await tool.drain();
    expect([requests.length, most]).toEqual([30, atOnce]);
  });

  test('a cancel does not stop what was accepted', async () => {
    const { origin, requests } = await service();
    const controller = new AbortController();
    const tool = webhook({ url: origin, ...later });
    await tool.run({}, { ...ctx, signal: controller.signal });
    controller.abort();
    await tool.drain();
    expect(requests).toHaveLength(1);
  });

  test.each([
    ['U-R4: the end of the thread waits for it', { answerMs: 200, observersMs: 5000, done: 1 }],
    ['U-R6: no longer than its own limit', { answerMs: 1500, observersMs: 100, done: 0 }],
  ])('%s', async (_row, { answerMs, observersMs, done }) => {
    let answered = 0;
    const { origin } = await service((arrived, response) => {
      setTimeout(() => {
        answered += 1;
        OK(arrived, response);
      }, answerMs);
    });
    const tool = webhook({ url: origin, ...later, inputSchema: z.object({}) });
    const model = scriptedModel([{ toolCalls: [{ name: 'note' }] }, 'Noted.']);
    const agent = createAgent({ name: 'desk', model, tools: [tool] });
    const { status, messages } = await agent.run({ threadId: 't', message: 'note it' });
    expect([status, answered]).toEqual(['completed', 0]);
    expect(JSON.stringify(messages)).toContain('accepted');
    const started = performance.now();
    await agent.endThread('t', 'done', { observersMs });
    expect(answered).toBe(done);
    expect(performance.now() - started).toBeLessThan(1400);
    await tool.drain();
  });
});
