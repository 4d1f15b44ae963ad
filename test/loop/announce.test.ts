import { defineHooks, MessageDecision, type SpokenLine, type ToolContext } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { type AnnounceState, announceDesk, look } from './announce-desk.ts';

const said = (lines: readonly SpokenLine[]) => lines.map(({ text }) => text);
const resultOf = (messages: readonly { readonly role: string }[]) =>
  messages.find(({ role }) => role === 'tool') as { content: { output: unknown }[] } | undefined;

describe('a line before a call', () => {
  test('U-D4, U-D7: is said, then the tool starts and runs', async () => {
    const desk = announceDesk();
    await desk.run();
    expect(desk.log).toEqual(['Checking.', 'ran']);
    expect(desk.lines).toEqual([
      {
        kind: 'announce',
        text: 'Checking.',
        threadId: 't',
        turnId: '1',
        callId: '1.1.0',
        toolName: 'look',
      },
    ]);
    const types = desk.types();
    expect(types.slice(types.indexOf('tool.called'), types.indexOf('step.finished'))).toEqual([
      'tool.called',
      'line.said',
      'message.outgoing',
      'tool.started',
      'tool.succeeded',
    ]);
  });

  test('U-D7: is in the stream and in the store before the tool runs', async () => {
    const told: string[] = [];
    const desk = announceDesk({
      tool: {
        execute: async () => {
          const stored = await desk.store.readEvents('t');
          told.push(...stored.map(({ type }) => type));
          return 'looked';
        },
      },
    });
    const stream = desk.agent.stream({ threadId: 't', message: 'go' });
    const streamed: string[] = [];
    for await (const event of stream) {
      if (event.type === 'line.said') streamed.push(`${event.text} ${told.length}`);
    }
    expect(told).toContain('line.said');
    expect(told).toContain('tool.started');
    expect(streamed).toHaveLength(1);
  });

  test('U-D23: is kept in the record as said by code, and as a text for the user', async () => {
    const desk = announceDesk();
    const { messages } = await desk.run();
    const stored = await desk.store.readEvents('t');
    const about = { kind: 'announce', text: 'Checking.', toolName: 'look', callId: '1.1.0' };
    expect(stored.filter(({ type }) => type === 'line.said')).toMatchObject([about]);
    expect(stored.filter(({ type }) => type === 'message.outgoing')).toMatchObject([
      { text: 'Checking.', isFinal: false },
      { text: 'Done.', isFinal: true },
    ]);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
  });

  test('U-D18: a blank line is none, and costs nothing', async () => {
    const desk = announceDesk({ tool: { announce: ['  ', ''] } });
    await desk.run();
    expect(desk.log).toEqual(['ran']);
    expect(desk.types()).not.toContain('line.said');
    expect(desk.types().filter((type) => type === 'tool.started')).toHaveLength(1);
  });

  test('U-D8: nothing is said of a call that is refused by the checks', async () => {
    const desk = announceDesk({ script: [look({ day: 5 }), 'Done.'] });
    await desk.run();
    expect(desk.log).toEqual([]);
    expect(desk.about('tool.')).toEqual(['tool.called', 'tool.refused']);
  });
});

describe('several lines', () => {
  const announce = ['A.', 'B.'];

  test('U-D5: take turns, also in another process', async () => {
    const script = () => [look({}), 'Done.', look({}), 'Done.', look({}), 'Done.'];
    const desk = announceDesk({ tool: { announce }, script: script() });
    for (let turn = 0; turn < 3; turn += 1) await desk.run();
    const later = announceDesk({ tool: { announce }, script: script(), store: desk.store });
    for (let turn = 0; turn < 2; turn += 1) await later.run();
    expect([...said(desk.lines), ...said(later.lines)]).toEqual(['A.', 'B.', 'A.', 'B.', 'A.']);
  });

  test('U-D5: also of calls side by side', async () => {
    const desk = announceDesk({ tool: { announce }, script: [look({}, {}, {}), 'Done.'] });
    await desk.run();
    expect(said(desk.lines)).toEqual(['A.', 'B.', 'A.']);
  });

  test('U-D6: of each thread', async () => {
    const desk = announceDesk({
      tool: { announce },
      script: [look({}), 'Done.', look({}), 'Done.'],
    });
    await desk.run({ threadId: 'one' });
    await desk.run({ threadId: 'two' });
    expect(said(desk.lines)).toEqual(['A.', 'A.']);
  });

  test('a single line leaves nothing in the state', async () => {
    const desk = announceDesk();
    await desk.run();
    expect((await desk.store.load('t'))?.state).not.toHaveProperty('lines');
  });
});

describe('the values of a line', () => {
  const announce = 'Checking {{day}} for {{brand.name}}. Ref {{session.id}} {{call.id}}.';
  const brand = { name: 'Acme' };
  const session = { id: 'S1' };

  test('U-D13, U-D19: an argument, before a field of its name; the state; the facts', async () => {
    const desk = announceDesk({ tool: { announce }, script: [look({ day: 'A' }), 'Done.'] });
    await desk.run({ state: { day: 'B', brand }, session });
    expect(said(desk.lines)).toEqual(['Checking A for Acme. Ref S1 S1.']);
  });

  test('U-D13: what the call leaves out is looked up in the state', async () => {
    const desk = announceDesk({ tool: { announce } });
    await desk.run({ state: { day: 'B', brand }, session });
    expect(said(desk.lines)).toEqual(['Checking B for Acme. Ref S1 S1.']);
  });

  test('U-D14: are those at the moment it is said', async () => {
    const desk = announceDesk({
      tool: {
        announce: 'Day {{day}}.',
        parallel: false,
        execute: (_: object, ctx: ToolContext<unknown, AnnounceState>) => {
          ctx.state.set('day', 'two');
          return 'looked';
        },
      },
      script: [look({}, {}), 'Done.'],
    });
    await desk.run({ state: { day: 'one' } });
    expect(said(desk.lines)).toEqual(['Day one.', 'Day two.']);
  });

  test('U-D15, U-T5: one that is not set refuses the call: nothing is said, nothing runs', async () => {
    const desk = announceDesk({ tool: { announce } });
    const { messages } = await desk.run({ state: { brand } });
    expect(desk.log).toEqual([]);
    expect(resultOf(messages)?.content[0]).toMatchObject({
      outcome: 'invalid',
      output: { refused: expect.stringMatching(/Not known yet: day, session\.id, call\.id\./) },
    });
    expect(desk.about('tool.')).toEqual(['tool.called', 'tool.refused']);
    const refused = desk.heard.find(({ type }) => type === 'tool.refused');
    expect(refused).toMatchObject({ by: 'agent', reason: 'not set: day, session.id, call.id' });
    expect(desk.about('line.')).toEqual([]);
  });

  test('U-D16: also one of a line whose turn it is not', async () => {
    const desk = announceDesk({ tool: { announce: ['Checking.', 'Checking {{day}}.'] } });
    const { messages } = await desk.run();
    expect(desk.log).toEqual([]);
    expect(JSON.stringify(resultOf(messages))).toContain('Not known yet: day');
  });
});

describe('a policy', () => {
  const outgoing = (decide: (text: string) => MessageDecision | undefined) =>
    defineHooks({ name: 'words', onOutgoingMessage: ({ text }) => decide(text) });
  const only = (decision: MessageDecision) =>
    outgoing((text) => (text === 'Checking.' ? decision : undefined));

  test('lets no line through that it refuses; the tool runs', async () => {
    const desk = announceDesk({ hooks: [only(MessageDecision.block('no'))] });
    await desk.run();
    expect(desk.log).toEqual(['ran']);
    expect(desk.about('line.')).toEqual([]);
    expect(desk.heard).toContainEqual(
      expect.objectContaining({
        type: 'message.outgoing',
        text: 'Checking.',
        isFinal: false,
        discarded: true,
      }),
    );
    expect(desk.about('tool.')).toEqual(['tool.called', 'tool.started', 'tool.succeeded']);
  });

  test('changes the words', async () => {
    const desk = announceDesk({ hooks: [only(MessageDecision.modify('One moment.'))] });
    await desk.run();
    expect(desk.log).toEqual(['One moment.', 'ran']);
    expect(JSON.stringify(desk.heard)).not.toContain('Checking.');
  });

  test('U-D21: that answers in the place of the tool has nothing said', async () => {
    const cache = defineHooks({
      name: 'cache',
      wrapToolUse: async () =>
        ({ outcome: 'succeeded', isError: false, output: 'stored' }) as const,
    });
    const desk = announceDesk({ hooks: [cache] });
    await desk.run();
    expect(desk.log).toEqual([]);
    expect(desk.about('line.')).toEqual([]);
    expect(desk.about('tool.')).toEqual(['tool.called', 'tool.started', 'tool.succeeded']);
  });

  test.each([
    ['one after the other', async (next: () => Promise<unknown>) => void (await next())],
    ['at the same time', async (next: () => Promise<unknown>) => void next()],
  ])('U-D22: that runs the tool twice, %s, has it said once', async (_, first) => {
    const again = defineHooks({
      name: 'again',
      wrapToolUse: async (call, next) => {
        await first(() => next(call));
        return next(call);
      },
    });
    const desk = announceDesk({ hooks: [again] });
    await desk.run();
    expect(desk.log).toEqual(['Checking.', 'ran', 'ran']);
    expect(desk.about('tool.started')).toHaveLength(1);
  });

  test('fills the line with the input that it lets through', async () => {
    const moved = defineHooks({
      name: 'moved',
      wrapToolUse: (call, next) => next({ ...call, effectiveInput: { day: 'Friday' } }),
    });
    const desk = announceDesk({ tool: { announce: 'For {{day}}.' }, hooks: [moved] });
    await desk.run();
    expect(desk.log).toEqual(['For Friday.', 'ran']);
  });

  test('that tries again what was refused, with another input, is told the same way', async () => {
    const retry = defineHooks({
      name: 'retry',
      wrapToolUse: async (call, next) => {
        const first = await next(call);
        return first.outcome === 'invalid'
          ? next({ ...call, effectiveInput: { day: 'Friday' } })
          : first;
      },
    });
    const desk = announceDesk({ tool: { announce: 'For {{day}}.' }, hooks: [retry] });
    await desk.run();
    expect(desk.log).toEqual(['For Friday.', 'ran']);
    expect(desk.about('tool.')).toEqual(['tool.called', 'tool.started', 'tool.succeeded']);
  });
});
