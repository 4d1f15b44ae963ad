import {
  createAgent,
  defineHooks,
  HookError,
  type JsonValue,
  scriptedModel,
  ToolDecision,
  type ToolInvocation,
  ToolResultDecision,
  tool,
  toolCallsOf,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { ThreadDigest } from '../../src/loop/thread-digest.ts';
import {
  customer,
  lockDesk,
  lockState,
  lookup,
  lookupTool,
  SECRET,
  storedText,
} from './lock-desk.ts';

describe('a locked argument', () => {
  test('U-M1, U-V5, U-J14: the model does not see it, and what it sends under its name is replaced', async () => {
    const { lookup: one, ran } = lookupTool();
    const script = [lookup({ customer_id: 'evil', order: 'A' }), 'done'];
    const desk = lockDesk({ script, tools: [one] });
    expect(await desk.run()).toMatchObject({ status: 'completed', text: 'done' });
    expect(ran).toEqual([{ customer_id: SECRET, order: 'A' }]);
    const [shown] = desk.model.requests[0]?.tools ?? [];
    expect(shown?.inputSchema).toEqual({
      type: 'object',
      properties: { order: { type: 'string' } },
    });
    expect(desk.types()).not.toContain('tool.refused');
    // In the history the call is what really ran, as far as the model gave it.
    const [call] = (await desk.store.readMessages('t')).flatMap(toolCallsOf);
    expect(call?.input).toEqual({ order: 'A' });
  });

  test('U-A1: two threads share the tool, and each has its own value', async () => {
    const { lookup: one, ran } = lookupTool();
    const model = scriptedModel([lookup(), 'done', lookup(), 'done']);
    const agent = createAgent({ name: 'desk', model, tools: [one], stateSchema: lockState });
    for (const id of ['7', '9'])
      await agent.run({ threadId: id, message: 'go', state: { customer: { id, tags: [] } } });
    expect(ran).toEqual([{ customer_id: '7' }, { customer_id: '9' }]);
  });

  const typed = (locked: object, inputSchema: z.ZodObject) => {
    const ran: unknown[] = [];
    const made = tool({
      name: 'lookup',
      description: 'Looks up',
      inputSchema,
      sideEffects: 'none',
      locked,
      execute: (input) => {
        ran.push(input);
        return {};
      },
    });
    return { made, ran };
  };

  test.each([
    {
      row: 'U-M11: a number stays one',
      lock: '{{count}}',
      schema: z.number(),
      state: { count: 3 },
      given: 3,
    },
    {
      row: 'U-M11: within a text it is text',
      lock: 'n={{count}}!',
      schema: z.string(),
      state: { count: 3 },
      given: 'n=3!',
    },
    {
      row: 'U-M8: an object',
      lock: '{{customer}}',
      schema: z.object({ id: z.string() }),
      state: { customer },
      given: { id: SECRET },
    },
    {
      row: 'U-M8: a list',
      lock: '{{customer.tags}}',
      schema: z.array(z.string()),
      state: { customer },
      given: ['gold'],
    },
    {
      row: 'U-M8: where any type may be',
      lock: '{{customer}}',
      schema: z.unknown(),
      state: { customer },
      given: customer,
    },
    { row: 'U-M12: a literal', lock: 'chat', schema: z.string(), state: {}, given: 'chat' },
    {
      row: 'U-M12: a literal that is no text',
      lock: [1, 2],
      schema: z.array(z.int()),
      state: {},
      given: [1, 2],
    },
    {
      row: 'U-M2: several values',
      lock: '{{name}}/{{day}}',
      schema: z.string(),
      state: { name: 'a', day: 'b' },
      given: 'a/b',
    },
    {
      row: 'false is a value',
      lock: '{{raw}}',
      schema: z.boolean(),
      state: { raw: false },
      given: false,
    },
    { row: '0 is a value', lock: '{{count}}', schema: z.number(), state: { count: 0 }, given: 0 },
  ])('$row', async ({ lock, schema, state, given }) => {
    const { made, ran } = typed({ value: lock }, z.object({ value: schema as z.ZodType }));
    const desk = lockDesk({ script: [lookup(), 'done'], tools: [made] });
    await desk.run(state);
    expect(ran).toEqual([{ value: given }]);
  });

  test.each(['session', 'call', 'sender', 'channel'])(
    'U-M3: {{%s.x}} is a fact of the run',
    async (root) => {
      const { made, ran } = typed({ value: `{{${root}.x}}` }, z.object({ value: z.string() }));
      const desk = lockDesk({ script: [lookup(), 'done'], tools: [made] });
      await desk.run({}, { [root === 'call' ? 'session' : root]: { x: '+34' } });
      expect(ran).toEqual([{ value: '+34' }]);
    },
  );

  test('U-M3: in every mode', async () => {
    const { made, ran } = typed({ value: '{{session.x}}' }, z.object({ value: z.string() }));
    const desk = lockDesk({ script: [lookup(), 'done', lookup(), 'done'], tools: [made] });
    const start = { threadId: 't', message: 'go', session: { x: '+34' } };
    for await (const _ of desk.agent.stream(start));
    await desk.agent.runStep(start);
    expect(ran).toEqual([{ value: '+34' }, { value: '+34' }]);
  });

  test('U-M15: with every argument locked, the model calls with nothing', async () => {
    const { made, ran } = typed({ value: 'x' }, z.object({ value: z.string() }));
    const desk = lockDesk({ script: [lookup(), 'done'], tools: [made] });
    await desk.run();
    expect(desk.model.requests[0]?.tools[0]?.inputSchema).toEqual({
      type: 'object',
      properties: {},
    });
    expect(ran).toEqual([{ value: 'x' }]);
  });

  test('U-M10: the whole is checked, and what is wrong with a locked value is told without it', async () => {
    const schema = z.object({
      value: z.int({ error: ({ input }) => `not ${String(input)}` }),
      order: z.string(),
    });
    const { made, ran } = typed({ value: '{{raw}}' }, schema);
    const desk = lockDesk({ script: [lookup({ order: 'A' }), 'done'], tools: [made] });
    await desk.run({ raw: 'abc' });
    expect(ran).toEqual([]);
    const [output] = desk.outputs() as { error: string }[];
    expect(output?.error).toContain('value: the value that this conversation has for it');
    expect(JSON.stringify([desk.outputs(), desk.heard])).not.toContain('abc');
  });

  test('an object that only turns up at run time cannot stand within a text', async () => {
    const { made, ran } = typed({ value: 'x {{raw}}' }, z.object({ value: z.string() }));
    const desk = lockDesk({ script: [lookup(), 'done'], tools: [made] });
    await desk.run({ raw: { a: 1 } });
    expect(ran).toEqual([]);
    expect(JSON.stringify(desk.outputs())).toContain('raw cannot be part of a text');
  });
});

describe('policies and locked arguments', () => {
  const kept = (point: 'preToolUse' | 'wrapToolUse') => {
    const seen: unknown[] = [];
    const note = (one: ToolInvocation) => seen.push([one.requestedInput, one.effectiveInput]);
    const watch = defineHooks({
      name: 'watch',
      order: 'last',
      preToolUse: (invocation) => {
        note(invocation);
        return ToolDecision.abstain();
      },
      wrapToolUse: (invocation, next) => {
        note(invocation);
        return next(invocation);
      },
      postToolUse: (invocation) => {
        note(invocation);
        return ToolResultDecision.keep();
      },
    });
    const input: JsonValue = { customer_id: 'other', order: 'B' };
    const change = defineHooks({
      name: 'change',
      ...(point === 'preToolUse'
        ? { preToolUse: () => ToolDecision.modify(input) }
        : {
            wrapToolUse: (invocation: ToolInvocation, next: (one: ToolInvocation) => never) =>
              next({ ...invocation, effectiveInput: input }),
          }),
    });
    return { hooks: [change, watch], seen };
  };

  test.each(['preToolUse', 'wrapToolUse'] as const)(
    'U-M14, U-M16: at %s they read the value and cannot change it',
    async (point) => {
      const { lookup: one, ran } = lookupTool();
      const { hooks, seen } = kept(point);
      const script = [lookup({ customer_id: 'evil', order: 'A' }), 'done'];
      const desk = lockDesk({ script, tools: [one], hooks });
      await desk.run();
      const whole = { customer_id: SECRET, order: 'B' };
      expect(ran).toEqual([whole]);
      const first = point === 'preToolUse' ? whole : { ...whole, order: 'A' };
      const asked = { customer_id: 'evil', order: 'A' };
      expect(seen[0]).toEqual([asked, first]);
      expect(seen.at(-1)).toEqual([asked, whole]);
      const stored = await storedText(desk.store);
      expect(stored).not.toContain(SECRET);
      expect(stored).not.toContain('"other"');
    },
  );

  test('U-M16: no event, error, message, approval, digest or answer of the model has it', async () => {
    for (const id of [SECRET, 'another-one']) {
      const confirm = defineHooks({
        name: 'confirm',
        preToolUse: () => ToolDecision.requiresConfirmation('ok?'),
      });
      const open = defineHooks({ name: 'open', preToolUse: () => ToolDecision.allow() });
      const { lookup: one, ran } = lookupTool({ sideEffects: 'once', tier: 'confirm' });
      const desk = lockDesk({
        script: [lookup({ order: 'A' }), 'done'],
        tools: [one],
        hooks: [open, confirm],
      });
      const waiting = await desk.run({ customer: { id, tags: [] } });
      if (waiting.status !== 'awaiting-approval') throw new Error(waiting.status);
      const [approval] = waiting.approvals;
      expect(approval?.input).toEqual({ order: 'A' });
      expect(await storedText(desk.store)).not.toContain(id);
      const answers = [{ approvalId: approval?.approvalId ?? '', approved: true, by: 'ann' }];
      const done = await desk.agent.resume({ threadId: 't', answers });
      expect(done.status).toBe('completed');
      expect(ran).toEqual([{ customer_id: id, order: 'A' }]);
      expect(await storedText(desk.store)).not.toContain(id);
      const { state: _state, ...told } = done;
      expect(JSON.stringify([desk.heard, waiting.messages, told])).not.toContain(id);
    }
  });

  test('U-M16: the digest of what was judged is made without it', async () => {
    const seen: ToolInvocation[] = [];
    const note = (one: ToolInvocation) => {
      seen.push(one);
      return ToolDecision.allow();
    };
    const allow = defineHooks({
      name: 'allow',
      preToolUse: note,
      wrapToolUse: (one, next) => next({ ...one, effectiveInput: { order: 'B' } }),
    });
    const { lookup: one } = lookupTool({ sideEffects: 'once', tier: 'auto' });
    const desk = lockDesk({
      script: [lookup({ order: 'A' }), 'done'],
      tools: [one],
      hooks: [allow],
    });
    await desk.run();
    const thread = await desk.store.load('t');
    const digest = new ThreadDigest(String(thread?.state['digestKey']));
    const told = desk.heard.flatMap((event) =>
      event.type === 'hook.decided' && event.decision === 'allow' ? [event.digest] : [],
    );
    expect(seen.map(({ effectiveInput }) => effectiveInput)).toEqual([
      { customer_id: SECRET, order: 'A' },
      { customer_id: SECRET, order: 'B' },
    ]);
    const bare = seen.map(({ effectiveInput: { order = '' }, ...rest }) =>
      digest.of({ ...rest, effectiveInput: { order } }),
    );
    expect(told).toEqual(bare);
    const [entry] = await desk.store.readLedger('t', [seen[0]?.callId ?? '']);
    const input = { order: 'A' };
    expect(entry?.inputDigest).toBe(
      digest.of({ toolName: 'lookup', input, locked: ['customer_id'] }),
    );
  });

  test('a policy that refuses by the value is obeyed', async () => {
    const guard = defineHooks({
      name: 'guard',
      preToolUse: ({ effectiveInput }) =>
        effectiveInput['customer_id'] === SECRET
          ? ToolDecision.block('frozen')
          : ToolDecision.allow(),
    });
    const { lookup: one, ran } = lookupTool();
    const desk = lockDesk({ script: [lookup(), 'done'], tools: [one], hooks: [guard] });
    await desk.run();
    expect(ran).toEqual([]);
    expect(desk.outputs()).toEqual(['Blocked: frozen']);
  });

  test('a rewrite that does not fit fails the policy, and quotes nothing', async () => {
    const broken = defineHooks({
      name: 'broken',
      preToolUse: () => ToolDecision.modify({ order: 7 }),
    });
    const { lookup: one } = lookupTool();
    const desk = lockDesk({ script: [lookup()], tools: [one], hooks: [broken] });
    const result = await desk.run();
    if (result.status !== 'failed') throw new Error(result.status);
    expect(HookError.isInstance(result.error)).toBe(true);
    expect(JSON.stringify([result.error.message, desk.heard])).not.toContain(SECRET);
  });
});
