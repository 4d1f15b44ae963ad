import { redactThread, type ThreadStore } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { askFirst, callPay, team } from '../subagents/team.ts';
import { fullAgent, linesOf, MARK, makeFullThread, NUMBER } from './full-thread.ts';
import { stores } from './stores.ts';

const withoutMark = (text: string): string =>
  text.replaceAll(MARK, '[name]').replaceAll(String(NUMBER), '[number]');

describe.each(stores())('redactThread on %s', (_name, open) => {
  test('nothing of what is taken out is left in any record or file, and the next turn works', async () => {
    const { store, bytes } = open();
    await makeFullThread(store);
    const before = (await linesOf(store)).join('');
    for (const part of [MARK, String(NUMBER), 'They spoke of', 'historyDigest'])
      expect(before).toContain(part);
    expect(await redactThread(store, 't', withoutMark)).toBe(2);
    const lines = (await linesOf(store)).join('');
    for (const gone of [
      MARK,
      String(NUMBER),
      Buffer.from(MARK).toString('base64'),
      'historyDigest',
    ]) {
      expect(lines).not.toContain(gone);
      expect(bytes()).not.toContain(gone);
    }
    const { agent, model } = fullAgent(store, ['hello']);
    const next = await agent.run({ threadId: 't', message: 'hi' });
    expect(next).toMatchObject({ status: 'completed', text: 'hello' });
    expect(JSON.stringify(model.requests)).toContain('They spoke of [name]');
    expect(JSON.stringify(model.requests)).not.toContain(MARK);
    await store.close?.();
  });

  test('each record is still there under its id, and only texts are changed', async () => {
    const { store } = open();
    await makeFullThread(store);
    const before = await linesOf(store);
    await redactThread(store, 't', withoutMark);
    const after = await linesOf(store);
    expect(after).toHaveLength(before.length);
    const shape = (line: string) =>
      withoutMark(line)
        .replace(/"digestKey":"[^"]*"/, '')
        .replace(/,?"historyDigest":\{[^}]*\}/, '')
        .replace(/"\[number\]"/g, '[number]')
        // Files: what they held is told in `redact-message.test.ts`.
        .replace(/\{"type":"file".*?\}/g, '');
    for (const [index, line] of before.entries()) {
      if (line.includes('"type":"file"') || line.includes('"artifact"')) continue;
      expect(shape(after[index] ?? '')).toBe(shape(line));
    }
    await store.close?.();
  });

  test('names of the program, ids and kinds are never given to it, so one that takes all leaves a thread that works', async () => {
    const { store } = open();
    await makeFullThread(store);
    const given = new Set<string>();
    await redactThread(store, 't', (text) => {
      given.add(text);
      return '';
    });
    for (const name of [
      't',
      'desk',
      'clerk',
      'keeper',
      'pay',
      '1.1.0',
      'finished',
      'completed',
      'onLlmResponse',
      'tool-result',
    ])
      expect(given).not.toContain(name);
    const { agent } = fullAgent(store, ['hello']);
    const next = await agent.run({
      threadId: 't',
      message: 'hi',
      state: { customer: '', payee: '' },
    });
    expect(next).toMatchObject({ status: 'completed', text: 'hello' });
    await store.close?.();
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error(`cannot read ${MARK}`);
      },
    ],
    ['gives no text', () => undefined as never],
    ['gives a promise', () => Promise.resolve('') as never],
  ])('one that %s for a text of either thread changes nothing anywhere', async (_what, fails) => {
    const { store } = open();
    await makeFullThread(store);
    const before = await linesOf(store);
    for (const begin of ['the clerk saw', 'done for']) {
      const redact = (text: string) => (text.startsWith(begin) ? fails() : 'x');
      const attempt = redactThread(store, 't', redact);
      await expect(attempt).rejects.toMatchObject({ code: 'redaction-failed' });
      await expect(attempt).rejects.not.toThrow(MARK);
      expect(await linesOf(store)).toEqual(before);
    }
    await store.close?.();
  });

  test('a thread whose turn is open is refused, and says how to end it', async () => {
    const { store } = open();
    const { desk } = team({ store, clerk: { hooks: [askFirst] } });
    await desk.run({ threadId: 't', message: 'go' });
    const before = await linesOf(store);
    const attempt = redactThread(store, 't', () => 'x');
    await expect(attempt).rejects.toMatchObject({
      code: 'open-turn',
      message: expect.stringContaining("`cancel` of thread 't'"),
    });
    expect(await linesOf(store)).toEqual(before);
    await desk.cancel('t');
    expect(await redactThread(store, 't', (text) => text)).toBe(3);
    await store.close?.();
  });

  test('a busy thread, an unknown one and that of a subagent are refused', async () => {
    const { store } = open();
    await makeFullThread(store);
    const redact = (threadId: string) => redactThread(store, threadId, () => 'x');
    const { token } = await store.claim('t', { holder: 'run', ttlMs: 60_000 });
    await expect(redact('t')).rejects.toMatchObject({ code: 'thread-busy' });
    await store.release('t', token);
    await expect(redact('nobody')).rejects.toMatchObject({ code: 'unknown-thread' });
    await expect(redact('t/2.3.0')).rejects.toMatchObject({ code: 'child-thread' });
    await expect(redactThread(store, 't', 'x' as never)).rejects.toMatchObject({
      code: 'invalid-input',
    });
    expect((await linesOf(store)).join('')).toContain(MARK);
    await store.close?.();
  });
});

test('a text of a thread without subagents that fails changes nothing either', async () => {
  for (const [, open] of stores()) {
    const { store } = open();
    const { desk } = team({ store, desk: { script: [{ toolCalls: [callPay(5)] }, 'paid'] } });
    await desk.run({ threadId: 't', message: 'go' });
    const before = await linesOf(store);
    const redact = (text: string) => {
      if (text === 'paid') throw new Error('no');
      return 'x';
    };
    await expect(redactThread(store as ThreadStore, 't', redact)).rejects.toMatchObject({
      code: 'redaction-failed',
    });
    expect(await linesOf(store)).toEqual(before);
    await store.close?.();
  }
});
