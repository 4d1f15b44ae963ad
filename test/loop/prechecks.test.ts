import {
  ConfigError,
  createAgent,
  defineHooks,
  memoryStore,
  type PrecheckContext,
  type SpokenLine,
  scriptedModel,
  ToolDecision,
  ToolError,
  ToolResultDecision,
  tool,
} from 'agent-hooks';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { customer, lockDesk, SECRET, storedText } from './lock-desk.ts';

const outputSchema = z.object({ status: z.enum(['booked', 'past_day']) });

/** A tool with a rule, that notes what ran and what the rule was asked. */
function bookTool(precheck: (input: never, ctx: PrecheckContext) => unknown, more: object = {}) {
  const ran: unknown[] = [];
  const asked: unknown[] = [];
  const book = tool({
    name: 'book',
    description: 'Books a visit',
    inputSchema: z.object({
      customer_id: z.string(),
      day: z.iso.date().transform((text) => new Date(text)),
    }),
    outputSchema,
    sideEffects: 'none',
    locked: { customer_id: '{{customer.id}}' },
    precheck: ((input: never, ctx: PrecheckContext) => {
      asked.push(input);
      return precheck(input, ctx);
    }) as never,
    execute: (input) => {
      ran.push(input);
      return { status: 'booked' };
    },
    ...more,
  });
  return { book, ran, asked };
}
/** A schema of the same input that says only later whether it fits. */
const later = (fits: () => Promise<boolean>) =>
  z.object({ customer_id: z.string().refine(fits), day: z.string() });
const past = () => ({ status: 'past_day' });
const call = { toolCalls: [{ name: 'book', input: { day: '2020-01-02' } }] };

/** Every run ends with the model, which reads what came of the call. */
function bookDesk(
  made: ReturnType<typeof bookTool>,
  more: Partial<Parameters<typeof lockDesk>[0]> = {},
) {
  return lockDesk({ script: [call, 'done'], tools: [made.book], ...more });
}

describe('a precheck', () => {
  test('U-L2, U-L3: has the typed input, with what is locked', async () => {
    const made = bookTool(() => null);
    await bookDesk(made).run();
    expect(made.asked).toEqual([{ customer_id: SECRET, day: new Date('2020-01-02') }]);
    expect(made.ran).toEqual(made.asked);
  });

  test.each([[null], [undefined]])('U-L4: with %j the tool runs', async (nothing) => {
    const made = bookTool(() => nothing);
    const desk = bookDesk(made);
    await desk.run();
    expect(made.ran).toHaveLength(1);
    expect(desk.outputs()).toEqual([{ status: 'booked' }]);
  });

  test('U-L5: an outcome is the result, and nothing runs', async () => {
    const made = bookTool(past);
    const desk = bookDesk(made);
    expect(await desk.run()).toMatchObject({ status: 'completed', text: 'done' });
    expect(made.ran).toEqual([]);
    expect(desk.outputs()).toEqual([{ status: 'past_day' }]);
    const told = desk.heard.find(({ type }) => type === 'tool.succeeded');
    expect(told).toMatchObject({ prechecked: true });
  });

  test('U-L5: nor is its line said, which is where nothing is found', async () => {
    for (const [rule, lines] of [
      [past, []],
      [() => null, ['Booking.']],
    ] as const) {
      const said: string[] = [];
      const onLine = ({ text }: SpokenLine) => void said.push(text);
      const desk = bookDesk(bookTool(rule, { announce: 'Booking.' }), { more: { onLine } });
      await desk.run();
      expect(said).toEqual(lines);
      expect(desk.types().filter((type) => type === 'line.said')).toHaveLength(lines.length);
    }
  });

  test('what really ran is not told of as prechecked', async () => {
    const desk = bookDesk(bookTool(() => null));
    await desk.run();
    expect(desk.heard.find(({ type }) => type === 'tool.succeeded')).not.toHaveProperty(
      'prechecked',
    );
  });

  test('U-L6: lines and saves treat it as a normal result', async () => {
    const made = bookTool(past, {
      replies: [{ when: { status: ['past_day'] }, say: 'That day is over.' }],
      assign: [{ field: 'name', path: ['status'] }],
    });
    const desk = bookDesk(made, { script: [call] });
    const result = await desk.run();
    expect(result).toMatchObject({ text: 'That day is over.', state: { name: 'past_day' } });
  });

  test('policies at postToolUse and wrapToolUse see it, and may change what the model reads', async () => {
    const seen: unknown[] = [];
    const hooks = [
      defineHooks({
        name: 'redact',
        wrapToolUse: async (invocation, next) => {
          const result = await next(invocation);
          seen.push(result);
          return { ...result, output: { status: 'booked' } };
        },
        postToolUse: (_, { output }) => {
          seen.push(output);
          return ToolResultDecision.modify({ output: 'redacted' });
        },
      }),
    ];
    const desk = bookDesk(bookTool(past), { hooks });
    await desk.run();
    expect(seen).toEqual([
      { outcome: 'succeeded', isError: false, output: { status: 'past_day' } },
      { status: 'booked' },
    ]);
    expect(desk.outputs()).toEqual(['redacted']);
  });

  test('U-L1: an async function is refused when the tool is built', () => {
    expect(() => bookTool(past, { precheck: async () => null })).toThrow(ConfigError);
    expect(() => bookTool(past, { precheck: async () => null })).toThrow('answers later');
    expect(() => bookTool(past, { precheck: 'no' })).toThrow('`precheck` is not a function');
  });

  test.each([
    ['U-L1: a promise', () => Promise.resolve({ status: 'past_day' }), 'failed before completing'],
    [
      'U-L1: a rejecting promise',
      () => Promise.reject(new Error('late')),
      'failed before completing',
    ],
    ['U-L10: an outcome of another form', () => ({ status: 'nope' }), 'does not fit'],
    [
      'U-L11: a throw',
      () => {
        throw new Error('ECONNREFUSED 10.0.0.3');
      },
      'failed before completing',
    ],
    [
      'U-L11: a ToolError',
      () => {
        throw new ToolError('Fully booked.');
      },
      'Fully booked.',
    ],
    ['an error as the outcome', () => ({ error: 'no such day' }), 'no such day'],
  ])('%s fails the call, and nothing runs', async (_, rule, words) => {
    for (const sideEffects of ['none', 'once'] as const) {
      const made = bookTool(rule as never, { sideEffects, tier: 'auto' });
      const desk = bookDesk(made);
      expect((await desk.run()).status).toBe('completed');
      expect(made.ran).toEqual([]);
      expect(JSON.stringify(desk.outputs())).toContain(words);
      expect(JSON.stringify(desk.outputs())).not.toContain('ECONNREFUSED');
      // Nothing has run, so it is not one of those of which nobody knows.
      expect(desk.heard.find(({ type }) => type === 'tool.failed')).toMatchObject({
        outcome: 'failed',
      });
    }
  });

  test('events tell why where the words are for them too', async () => {
    for (const [error, reason] of [
      [new ToolError('Fully booked.', { eventText: 'no room' }), 'no room'],
      [new ToolError('Fully booked.'), undefined],
    ] as const) {
      const made = bookTool(() => {
        throw error;
      });
      const desk = bookDesk(made);
      await desk.run();
      const told = desk.heard.find(({ type }) => type === 'tool.failed');
      expect(told).toMatchObject({ outcome: 'failed' });
      expect(told && 'reason' in told ? told.reason : undefined).toBe(reason);
    }
  });

  test('a schema that answers later is waited for', async () => {
    const made = bookTool(past, { inputSchema: later(async () => true) });
    const desk = bookDesk(made);
    await desk.run();
    expect(desk.outputs()).toEqual([{ status: 'past_day' }]);
    expect(made.ran).toEqual([]);
  });

  test('a schema that never answers fails the call in its time, and nothing runs', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      // The call is checked when it is read; the rule reads its input from the schema once more.
      let checks = 0;
      const hangs = () => {
        checks += 1;
        return checks < 2 ? Promise.resolve(true) : new Promise<boolean>(() => undefined);
      };
      const made = bookTool(past, { inputSchema: later(hangs), tier: 'confirm' });
      const desk = bookDesk(made);
      const running = desk.run();
      await vi.advanceTimersByTimeAsync(5_000);
      expect((await running).status).toBe('completed');
      expect(made.ran).toEqual([]);
      const [output] = desk.outputs();
      expect(JSON.stringify(output)).toMatch(/did not run: its schema did not answer within 5 s/);
      expect(desk.types()).toContain('tool.failed');
    } finally {
      vi.useRealTimers();
    }
  });

  test('it reads the state and the facts, and writes nothing', async () => {
    const seen: unknown[] = [];
    const made = bookTool((_, ctx) => {
      seen.push(ctx.state.get('customer' as never), ctx.session, ctx.threadId, ctx.context);
      (ctx.state as unknown as { set: (field: string, value: string) => void }).set('name', 'x');
      return null;
    });
    const desk = bookDesk(made);
    const result = await desk.run({ customer }, { session: { id: 1 }, context: 'app' });
    expect(seen).toEqual([customer, { id: 1 }, 't', 'app']);
    expect(made.ran).toEqual([]);
    expect(result.state).not.toHaveProperty('name');
  });

  test.each(['none', 'once'] as const)(
    'U-F13, U-L9: its outcome does not end the conversation (%s)',
    async (sideEffects) => {
      const ending = { endsConversation: true, sideEffects, tier: 'auto' };
      const open = bookDesk(bookTool(past, ending));
      await open.run();
      expect(open.types()).not.toContain('thread.ended');
      expect(open.model.requests).toHaveLength(2);
      const over = bookDesk(bookTool(() => null, ending));
      await over.run();
      expect(over.types()).toContain('thread.ended');
    },
  );

  test('U-F13: nor with a policy around the call', async () => {
    const hooks = [defineHooks({ name: 'around', wrapToolUse: (one, next) => next(one) })];
    const open = bookDesk(bookTool(past, { endsConversation: true }), { hooks });
    await open.run();
    expect(open.types()).not.toContain('thread.ended');
  });

  test('the ledger knows that nothing ran', async () => {
    for (const [rule, mark] of [
      [past, true],
      [() => null, undefined],
    ] as const) {
      const desk = bookDesk(bookTool(rule, { sideEffects: 'once', tier: 'auto' }));
      await desk.run();
      const callId = desk.heard.flatMap((one) => (one.type === 'tool.called' ? [one.callId] : []));
      const [entry] = await desk.store.readLedger('t', callId);
      expect(entry).toMatchObject({ status: 'finished', result: { outcome: 'succeeded' } });
      expect(entry?.result?.prechecked).toBe(mark);
    }
  });
});

describe('a precheck of a tool that asks a person first', () => {
  const confirm = { sideEffects: 'once', tier: 'confirm' } as const;
  const answer = async (desk: ReturnType<typeof lockDesk>, about: object = {}) => {
    const [approval] = await desk.store.pendingApprovals({ threadId: 't' });
    const answers = [{ approvalId: approval?.approvalId ?? '', approved: true, by: 'ann' }];
    return desk.agent.resume({ threadId: 't', answers, ...about });
  };

  test('U-L7: nobody is asked about a value that it does not take', async () => {
    const made = bookTool(past, {
      ...confirm,
      replies: [{ when: { status: ['past_day'] }, say: 'That day is over.' }],
    });
    const desk = bookDesk(made, { script: [call] });
    expect(await desk.run()).toMatchObject({ status: 'completed', text: 'That day is over.' });
    expect(desk.model.requests).toHaveLength(1);
    expect(desk.types()).not.toContain('approval.requested');
    expect(made.ran).toEqual([]);
    expect(made.asked).toHaveLength(1);
  });

  test('U-L7: nor where it is a policy that asks', async () => {
    const hooks = [
      defineHooks({ name: 'ask', preToolUse: () => ToolDecision.requiresConfirmation('ok?') }),
    ];
    const made = bookTool(past, { tier: 'auto', endsConversation: true });
    const desk = bookDesk(made, { hooks });
    expect((await desk.run()).status).toBe('completed');
    expect(desk.types()).not.toContain('approval.requested');
    expect(desk.types()).not.toContain('thread.ended');
    expect(desk.outputs()).toEqual([{ status: 'past_day' }]);
  });

  test('U-L7: a policy that blocks comes first, and the rule is not asked', async () => {
    const hooks = [defineHooks({ name: 'no', preToolUse: () => ToolDecision.block('no') })];
    const made = bookTool(past, confirm);
    const desk = bookDesk(made, { hooks });
    await desk.run();
    expect(desk.outputs()).toEqual(['Blocked: no']);
    expect(made.asked).toEqual([]);
  });

  test('U-L7: nor is it asked where the policies of another call fail', async () => {
    const made = bookTool(() => null, confirm);
    const hooks = [
      defineHooks({
        name: 'broken',
        preToolUse: ({ callId }) => {
          if (callId === '1.1.1') throw new Error('down');
        },
      }),
    ];
    const two = { toolCalls: [...call.toolCalls, ...call.toolCalls] };
    const desk = bookDesk(made, { hooks, script: [two] });
    expect((await desk.run()).status).toBe('failed');
    expect(made.asked).toEqual([]);
  });

  test.each([
    ['at once', {}],
    ['later', { inputSchema: later(async () => true) }],
  ])('U-L7: of several calls each has its own outcome, answered %s', async (_when, schema) => {
    const isPast = ({ day }: { readonly day: unknown }) => String(day).includes('2020');
    const made = bookTool((input) => (isPast(input) ? past() : null), { ...confirm, ...schema });
    const days = ['2020-01-02', '2030-01-02', '2020-01-03', '2030-01-03'];
    const calls = { toolCalls: days.map((day) => ({ name: 'book', input: { day } })) };
    const desk = bookDesk(made, { script: [calls, 'done'] });
    const waiting = await desk.run();
    if (waiting.status !== 'awaiting-approval') throw new Error(waiting.status);
    expect(waiting.approvals.map(({ callId }) => callId)).toEqual(['1.1.1', '1.1.3']);
    const answers = waiting.approvals.map(({ approvalId }) => ({
      approvalId,
      approved: true,
      by: 'ann',
    }));
    expect((await desk.agent.resume({ threadId: 't', answers })).status).toBe('completed');
    const [over, booked] = [{ status: 'past_day' }, { status: 'booked' }];
    expect(desk.outputs()).toEqual([over, booked, over, booked]);
    expect(made.ran).toHaveLength(2);
  });

  test('U-L8: it is asked again on the yes', async () => {
    const made = bookTool(() => null, confirm);
    const desk = bookDesk(made);
    expect((await desk.run()).status).toBe('awaiting-approval');
    expect(made.asked).toHaveLength(1);
    expect((await answer(desk)).status).toBe('completed');
    expect(made.asked).toHaveLength(2);
    expect(made.ran).toHaveLength(1);
  });

  test('U-L8: what it finds then counts', async () => {
    let isOver = false;
    const made = bookTool(() => (isOver ? past() : null), { ...confirm, endsConversation: true });
    const desk = bookDesk(made);
    await desk.run();
    isOver = true;
    await answer(desk);
    expect(made.ran).toEqual([]);
    expect(desk.outputs()).toEqual([{ status: 'past_day' }]);
    expect(desk.types()).not.toContain('thread.ended');
  });

  test('a call that nobody approved never runs, also if the rule has changed its mind', async () => {
    const other = tool({
      name: 'pay',
      description: 'Pays',
      inputSchema: z.object({}),
      execute: () => ({ paid: true }),
    });
    let isOver = true;
    const made = bookTool(() => (isOver ? past() : null), confirm);
    const both = { toolCalls: [...call.toolCalls, { name: 'pay', input: {} }] };
    const desk = bookDesk(made, { script: [both, 'done'], tools: [made.book, other] });
    const waiting = await desk.run();
    if (waiting.status !== 'awaiting-approval') throw new Error(waiting.status);
    expect(waiting.approvals.map(({ toolName }) => toolName)).toEqual(['pay']);
    expect(await storedText(desk.store)).not.toContain(SECRET);
    isOver = false;
    expect((await answer(desk)).status).toBe('completed');
    expect(made.ran).toEqual([]);
    expect(desk.outputs()).toEqual([{ status: 'past_day' }, { paid: true }]);
  });

  test('a rule that fails fails the call, and nobody is asked', async () => {
    const made = bookTool(() => {
      throw new Error('down');
    }, confirm);
    const desk = bookDesk(made);
    expect((await desk.run()).status).toBe('completed');
    expect(desk.types()).not.toContain('approval.requested');
    expect(JSON.stringify(desk.outputs())).toContain('failed before completing');
  });
});

test('a tool without a rule or a lock is asked for neither', async () => {
  const plain = tool({
    name: 'book',
    inputSchema: z.object({}),
    sideEffects: 'none',
    execute: () => ({}),
  });
  expect(plain.locks).toBeUndefined();
  expect(plain.precheck).toBeUndefined();
  const model = scriptedModel([{ toolCalls: [{ name: 'book', input: {} }] }, 'done']);
  const agent = createAgent({ name: 'desk', model, tools: [plain], store: memoryStore() });
  expect((await agent.run({ threadId: 't', message: 'go' })).status).toBe('completed');
});
