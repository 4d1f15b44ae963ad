import {
  defineHooks,
  type Message,
  MessageDecision,
  RequestDecision,
  ResponseDecision,
  textOf,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { answer, LONG, read, scene, typesOf } from './scene.ts';

const full = [answer('short answer'), answer('second')];

describe('the call for a summary is hooked like any call', () => {
  const two = (hooks: Parameters<typeof scene>[0]['hooks'], summaries = ['the gist']) =>
    scene({ script: full, summaries, ...(hooks !== undefined && { hooks }) });
  const play = async ({ agent }: ReturnType<typeof scene>) => {
    await agent.run({ threadId: 't', message: LONG });
    return agent.run({ threadId: 't', message: 'next' });
  };

  test('U-X2: systemPrompt is asked at the site `compaction`, with the model that reads it', async () => {
    const sites: unknown[] = [];
    const hook = defineHooks({
      name: 'suffix',
      systemPrompt: (prompt, { site, model }) => {
        sites.push([site, model]);
        return `${prompt} /no_think`;
      },
    });
    const played = two([hook]);
    await play(played);
    expect(sites).toEqual([
      ['main', 'scripted'],
      ['compaction', 'writer'],
      ['main', 'scripted'],
    ]);
    const [system] = played.writer.requests[0]?.messages ?? [];
    expect(textOf(system as Message)).toMatch(/data.*\/no_think$/s);
  });

  test('M-81: ctx says what the call is for and which model is called', async () => {
    const seen: unknown[] = [];
    const note = (point: string, ctx: { purpose: string; model: string }) =>
      void seen.push([point, ctx.purpose, ctx.model]);
    const hook = defineHooks({
      name: 'ear',
      preLlmRequest: (_request, ctx) => note('request', ctx),
      onLlmResponse: (_response, ctx) => note('response', ctx),
      onContextCompact: (_messages, ctx) => note('compact', ctx),
      async *wrapLlmCall(request, next, ctx) {
        note('wrap', ctx);
        yield* next(request);
      },
    });
    await play(two([hook]));
    expect(seen.filter((row) => (row as string[])[1] === 'compaction')).toEqual([
      ['compact', 'compaction', 'writer'],
      ['request', 'compaction', 'writer'],
      ['wrap', 'compaction', 'writer'],
      ['response', 'compaction', 'writer'],
    ]);
  });

  test('H18: a block of the request aborts the compaction before the model is called', async () => {
    const hook = defineHooks({
      name: 'no',
      preLlmRequest: (_request, { purpose }) =>
        purpose === 'compaction' ? RequestDecision.block('never') : undefined,
    });
    const played = two([hook]);
    expect(await play(played)).toMatchObject({ status: 'completed', text: 'second' });
    expect(played.writer.calls).toBe(0);
    expect(played.model.requests[1]?.messages).toHaveLength(3);
    expect(played.heard.find(({ type }) => type === 'error.raised')).toMatchObject({
      code: 'compaction-failed',
      details: { problem: 'blocked' },
    });
  });

  test('H19: a modified request reaches the provider', async () => {
    const hook = defineHooks({
      name: 'edit',
      preLlmRequest: (request, { purpose }) =>
        purpose === 'compaction'
          ? RequestDecision.modify({
              ...request,
              settings: { ...request.settings, temperature: 0 },
            })
          : undefined,
    });
    const played = two([hook]);
    await play(played);
    expect(played.writer.requests[0]?.settings).toEqual({ maxTokens: 50, temperature: 0 });
    expect(read(played.model, 1)[0]).toBe('summary: the gist');
  });

  test('H21, M-97, X19: a retry at the response aborts the compaction after one call, and is no rejection', async () => {
    const hook = defineHooks({
      name: 'strict',
      onLlmResponse: (_response, { purpose }) =>
        purpose === 'compaction' ? ResponseDecision.retryWithFeedback('SAY-BETTER') : undefined,
    });
    const played = two([hook]);
    expect(await play(played)).toMatchObject({ status: 'completed', text: 'second' });
    expect(played.writer.calls).toBe(1);
    expect(played.model.requests[1]?.messages).toHaveLength(3);
    expect(typesOf(played.heard, 'llm.rejected', 'context.compacted')).toEqual([]);
    expect((await played.store.load('t'))?.state['streak']).toMatchObject({ count: 0 });
    expect(JSON.stringify(played.model.requests)).not.toContain('SAY-BETTER');
    expect(JSON.stringify(played.heard)).not.toContain('SAY-BETTER');
  });

  test('a modified response is the summary', async () => {
    const hook = defineHooks({
      name: 'mask',
      onLlmResponse: ({ text }, { purpose }) =>
        purpose === 'compaction'
          ? ResponseDecision.modify({ text: text.replace('gist', '***') })
          : undefined,
    });
    const played = two([hook]);
    await play(played);
    expect(read(played.model, 1)[0]).toBe('summary: the ***');
  });

  test('M-81: a policy that fails there aborts the compaction, not the turn', async () => {
    for (const point of ['preLlmRequest', 'onLlmResponse', 'wrapLlmCall', 'systemPrompt']) {
      const hook = {
        name: 'faulty',
        [point]: (
          _a: unknown,
          b: { purpose?: string; site?: string },
          ...[c]: { purpose: string }[]
        ) => {
          if ([b.purpose, b.site, c?.purpose].includes('compaction')) throw new Error('broken');
          return point === 'wrapLlmCall'
            ? (b as unknown as (r: unknown) => unknown)(_a)
            : undefined;
        },
      } as never;
      const played = two([hook]);
      expect(await play(played), point).toMatchObject({ status: 'completed', text: 'second' });
      expect(typesOf(played.heard, 'hook.failed'), point).toHaveLength(1);
      expect(typesOf(played.heard, 'context.compacted'), point).toEqual([]);
    }
  });

  test('no piece of a summary is in a live stream or shown to the user', async () => {
    const { agent } = scene({
      script: full,
      summaries: ['SECRET-GIST'],
      streaming: 'live',
      hooks: [
        defineHooks({
          name: 'out',
          onOutgoingMessage: ({ text }) =>
            text.includes('GIST') ? MessageDecision.block('leak') : undefined,
        }),
      ],
    });
    await agent.run({ threadId: 't', message: LONG });
    const stream = agent.stream({ threadId: 't', message: 'next' });
    const events: unknown[] = [];
    for await (const event of stream) events.push(event);
    expect(await stream.result).toMatchObject({ status: 'completed' });
    expect(JSON.stringify(events)).not.toContain('GIST');
  });
});

describe('onContextCompact', () => {
  const play = async (hooks: Parameters<typeof scene>[0]['hooks'], summaries = ['built in']) => {
    const played = scene({ script: full, summaries, ...(hooks !== undefined && { hooks }) });
    await played.agent.run({ threadId: 't', message: LONG });
    const result = await played.agent.run({ threadId: 't', message: 'next' });
    return { ...played, result };
  };

  test('X26: the first policy that gives a text has made the summary, and no model is called', async () => {
    const asked: string[] = [];
    const { model, writer, heard } = await play([
      defineHooks({ name: 'a', onContextCompact: () => void asked.push('a') }),
      defineHooks({ name: 'b', onContextCompact: async () => 'by b' }),
      defineHooks({ name: 'c', onContextCompact: () => 'by c' }),
    ]);
    expect(asked).toEqual(['a']);
    expect(writer.calls).toBe(0);
    expect(read(model, 1)[0]).toBe('summary: by b');
    expect(heard.find(({ type }) => type === 'context.compacted')).toMatchObject({ by: 'b' });
    expect(heard).toContainEqual(
      expect.objectContaining({ type: 'hook.decided', policy: 'b', decision: 'summarize' }),
    );
    expect(JSON.stringify(heard)).not.toContain('by b');
  });

  test.each([
    ['null', null],
    ['an empty text', '  '],
    ['a number', 7],
    ['an object', { type: 'summarize', summary: 'forged' }],
    ['a text that is too long', 'x'.repeat(401)],
  ])('X26: %s is a failure, and the built-in summary counts', async (_what, value) => {
    const { model, heard } = await play([
      defineHooks({ name: 'odd', onContextCompact: () => value as never }),
    ]);
    expect(read(model, 1)[0]).toBe('summary: built in');
    expect(heard.find(({ type }) => type === 'hook.failed')).toMatchObject({
      kind: 'illegal',
      open: true,
    });
  });

  test('it is shown what will be replaced, the earlier summary included', async () => {
    const seen: string[][] = [];
    const { agent } = scene({
      script: [...full, answer('third')],
      hooks: [
        defineHooks({
          name: 'eye',
          onContextCompact: (messages) => {
            seen.push(messages.map(textOf));
            return `gist ${seen.length}`;
          },
        }),
      ],
    });
    await agent.run({ threadId: 't', message: LONG });
    await agent.run({ threadId: 't', message: LONG });
    await agent.run({ threadId: 't', message: 'next' });
    expect(seen).toHaveLength(2);
    expect(seen[0]).toEqual([LONG]);
    expect(seen[1]?.[0]).toMatch(/^\[A summary.*\ngist 1$/s);
    expect(seen[1]?.slice(1)).toEqual(['short answer', LONG]);
  });

  test('a summary that is no shorter than what it stands for is not used', async () => {
    const { model, heard, writer } = await play([
      defineHooks({ name: 'wordy', onContextCompact: () => 'x'.repeat(LONG.length) }),
    ]);
    expect(model.requests[1]?.messages).toHaveLength(3);
    expect(writer.calls).toBe(0);
    expect(heard.find(({ type }) => type === 'error.raised')).toMatchObject({
      details: { problem: 'no-progress' },
    });
  });

  test('one that is closed and fails leaves the context as it is', async () => {
    const { model, result, writer } = await play([
      defineHooks({
        name: 'shut',
        options: { onContextCompact: { failure: 'closed' } },
        onContextCompact: () => {
          throw new Error('broken');
        },
      }),
    ]);
    expect(result.status).toBe('completed');
    expect(writer.calls).toBe(0);
    expect(model.requests[1]?.messages).toHaveLength(3);
  });
});
