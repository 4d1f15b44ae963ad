import { type AgentHooks, scriptedModel, ToolDecision, type ToolMessage, tool } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { counted, expectStatus, MODES, play, sleep } from '../acceptance/play.ts';

type Wrap = NonNullable<AgentHooks['wrapToolUse']>;
const wraps = (
  name: string,
  wrapToolUse: Wrap,
  options: AgentHooks['options'] = {},
): AgentHooks => ({
  name,
  options,
  wrapToolUse,
});

const results = (messages: readonly { readonly role: string }[]) =>
  messages.flatMap((message) => (message.role === 'tool' ? (message as ToolMessage).content : []));

const calls = (...toolCalls: readonly { readonly name: string; readonly input?: unknown }[]) => ({
  toolCalls,
});

describe.each(MODES)('around a tool call (%s)', (mode) => {
  const table = (log: unknown[], more: { readonly party?: number } = {}) =>
    tool({
      name: 'book',
      description: 'Books a table',
      inputSchema: z.object({ party: z.number().max(more.party ?? 12) }),
      tier: 'auto',
      execute: ({ party }) => {
        log.push(`tool ${party}`);
        return { booked: party };
      },
    });
  const script = () => scriptedModel([calls({ name: 'book', input: { party: 4 } }), 'done']);

  test('U-AA1: preToolUse, then the checks, then the wraps around the tool, then postToolUse', async () => {
    const log: unknown[] = [];
    const book = tool({
      name: 'book',
      description: 'Books a table',
      inputSchema: z.object({ party: z.number().refine((party) => log.push(`check ${party}`)) }),
      tier: 'auto',
      execute: () => {
        log.push('tool');
        return 'booked';
      },
    });
    const probe = (name: string): AgentHooks => ({
      name,
      preToolUse: ({ effectiveInput }) => {
        log.push(`pre ${name}`);
        return name === 'A' ? ToolDecision.modify({ ...effectiveInput, party: 5 }) : undefined;
      },
      wrapToolUse: async (call, next) => {
        log.push(`${name}>`);
        const result = await next(call);
        log.push(`<${name}`);
        return result;
      },
      postToolUse: () => void log.push(`post ${name}`),
    });
    const { result } = await play(mode, {
      model: script(),
      tools: [book],
      hooks: [probe('A'), probe('B')],
    });
    expectStatus(result, 'completed');
    const order = log.filter((entry) => !String(entry).startsWith('check'));
    // The first policy has the last word about a result.
    expect(order).toEqual(['pre A', 'pre B', 'A>', 'B>', 'tool', '<B', '<A', 'post B', 'post A']);
    expect(log.indexOf('check 5')).toBeLessThan(log.indexOf('pre B'));
  });

  test('U-X8: a cached result is the result, and the tool does not run', async () => {
    const log: unknown[] = [];
    const cache = wraps('cache', async () => ({
      outcome: 'succeeded',
      isError: false,
      output: { cached: 4 },
    }));
    const seen: unknown[] = [];
    const post: AgentHooks = {
      name: 'post',
      postToolUse: (_call, { output }) => void seen.push(output),
    };
    const { result, store, heard } = await play(mode, {
      model: script(),
      tools: [table(log)],
      hooks: [cache, post],
    });
    expect(log).toEqual([]);
    expect(results(result.messages)).toMatchObject([
      { outcome: 'succeeded', output: { cached: 4 } },
    ]);
    expect(seen).toEqual([{ cached: 4 }]);
    expect(heard.map(({ type }) => type)).toContain('tool.succeeded');
    expect(await store.readLedger('t', ['1.1.0'])).toMatchObject([
      { status: 'finished', result: { outcome: 'not-executed' } },
    ]);
  });

  test('twin: what ran is what the ledger keeps', async () => {
    const log: unknown[] = [];
    const passes = wraps('passes', async (call, next) => next(call));
    const { store } = await play(mode, { model: script(), tools: [table(log)], hooks: [passes] });
    expect(log).toEqual(['tool 4']);
    expect(await store.readLedger('t', ['1.1.0'])).toMatchObject([
      { result: { outcome: 'succeeded', output: { booked: 4 } } },
    ]);
  });

  test('U-Z3: one that fails before the tool is an error the model reads, and the run goes on', async () => {
    const log: unknown[] = [];
    const model = script();
    const bad = wraps('bad', async () => {
      throw new Error('boom');
    });
    const posted: unknown[] = [];
    const post: AgentHooks = { name: 'post', postToolUse: () => void posted.push('asked') };
    const { result, store, heard } = await play(mode, {
      model,
      tools: [table(log)],
      hooks: [bad, post],
    });
    expectStatus(result, 'completed');
    expect(log).toEqual([]);
    const [read] = results(model.requests[1]?.messages ?? []);
    expect(read).toMatchObject({ outcome: 'failed', isError: true });
    expect(read?.output).toMatch(/did not run.*Do not claim success/);
    expect(posted).toEqual([]);
    expect(await store.readLedger('t', ['1.1.0'])).toMatchObject([
      { result: { outcome: 'not-executed' } },
    ]);
    const failure = heard.find(({ type }) => type === 'hook.failed');
    expect(failure).toMatchObject({
      policy: 'bad',
      point: 'wrapToolUse',
      callId: '1.1.0',
      open: false,
    });
    expect(JSON.stringify([heard, await store.readMessages('t')])).not.toContain('boom');
  });

  test('U-Z7: one that fails after it withholds the result, and says that the call did run', async () => {
    const log: unknown[] = [];
    const model = script();
    const bad = wraps('bad', async (call, next) => {
      await next(call);
      throw new Error('boom');
    });
    const posted: unknown[] = [];
    const post: AgentHooks = {
      name: 'post',
      postToolUse: (_call, { outcome }) => void posted.push(outcome),
    };
    const { store } = await play(mode, { model, tools: [table(log)], hooks: [bad, post] });
    expect(log).toEqual(['tool 4']);
    const [read] = results(model.requests[1]?.messages ?? []);
    expect(read).toMatchObject({ outcome: 'succeeded', isError: true });
    expect(read?.output).toMatch(/did run.*withheld.*Do not claim success/);
    expect(read?.output).not.toContain('not run');
    expect(posted).toEqual(['succeeded']);
    const [entry] = await store.readLedger('t', ['1.1.0']);
    expect(entry).toMatchObject({ status: 'finished', result: { outcome: 'succeeded' } });
    expect(JSON.stringify([entry, read])).not.toMatch(/boom|booked/);
  });

  test('U-AA3: a changed input that does not fit does not run', async () => {
    const log: unknown[] = [];
    const changes = wraps('changes', (call, next) =>
      next({ ...call, effectiveInput: { party: 99 } }),
    );
    const { result, heard } = await play(mode, {
      model: script(),
      tools: [table(log)],
      hooks: [changes],
    });
    expect(log).toEqual([]);
    expect(results(result.messages)).toMatchObject([{ outcome: 'failed', isError: true }]);
    expect(heard.find(({ type }) => type === 'hook.failed')).toMatchObject({
      kind: 'invalid-rewrite',
    });
  });

  test('U-Y6: one that fits is judged again and runs', async () => {
    const log: unknown[] = [];
    const asked: unknown[] = [];
    const judge: AgentHooks = {
      name: 'judge',
      preToolUse: ({ effectiveInput }, { recheck }) =>
        void asked.push([effectiveInput['party'], recheck]),
    };
    const posted: unknown[] = [];
    const post: AgentHooks = {
      name: 'post',
      postToolUse: ({ effectiveInput, requestedInput }) =>
        void posted.push(effectiveInput, requestedInput),
    };
    const changes = wraps('changes', (call, next) =>
      next({ ...call, effectiveInput: { party: 5 } }),
    );
    const { heard } = await play(mode, {
      model: script(),
      tools: [table(log)],
      hooks: [judge, changes, post],
    });
    expect(log).toEqual(['tool 5']);
    expect(asked).toEqual([
      [4, false],
      [5, true],
    ]);
    // What ran is what is looked at.
    expect(posted).toEqual([{ party: 5 }, { party: 4 }]);
    const decided = heard.filter((event) => event.type === 'hook.decided');
    expect(decided).toMatchObject([
      { policy: 'changes', point: 'wrapToolUse', decision: 'modify' },
    ]);
  });

  test('one that is refused when it is judged is answered blocked', async () => {
    const log: unknown[] = [];
    const judge: AgentHooks = {
      name: 'judge',
      preToolUse: ({ effectiveInput }) =>
        effectiveInput['party'] === 5
          ? ToolDecision.block('five is too many')
          : ToolDecision.allow(),
    };
    const changes = wraps('changes', (call, next) =>
      next({ ...call, effectiveInput: { party: 5 } }),
    );
    const { result, store } = await play(mode, {
      model: script(),
      tools: [table(log)],
      hooks: [judge, changes],
    });
    expectStatus(result, 'completed');
    expect(log).toEqual([]);
    expect(results(result.messages)).toMatchObject([
      { outcome: 'blocked', isError: true, output: 'Blocked: five is too many' },
    ]);
    expect(await store.readLedger('t', ['1.1.0'])).toMatchObject([
      { result: { outcome: 'blocked' } },
    ]);
  });

  test('a refused call is not wrapped, and its sibling is', async () => {
    const asked: string[] = [];
    const judge: AgentHooks = {
      name: 'judge',
      preToolUse: ({ toolName }) => (toolName === 'a' ? ToolDecision.block('no') : undefined),
    };
    const reads = wraps('reads', async (call, next) => {
      asked.push(call.toolName);
      return next(call);
    });
    const tools = [counted('a').tool, counted('b').tool];
    const model = scriptedModel([calls({ name: 'a' }, { name: 'b' }), 'done']);
    await play(mode, { model, tools, hooks: [judge, reads] });
    expect(asked).toEqual(['b']);
  });

  test('tools that may run beside each other do, each with policies of its own around it', async () => {
    let now = 0;
    let most = 0;
    const execute = async (): Promise<string> => {
      now += 1;
      most = Math.max(most, now);
      await sleep(10);
      now -= 1;
      return 'seen';
    };
    const looks = [
      counted('a', { sideEffects: 'none', execute }),
      counted('b', { sideEffects: 'none', execute }),
    ];
    const marks = wraps('marks', async (call, next) => ({
      ...(await next(call)),
      output: call.toolName,
    }));
    const model = scriptedModel([calls({ name: 'a' }, { name: 'b' }), 'done']);
    const { result } = await play(mode, {
      model,
      tools: looks.map((look) => look.tool),
      hooks: [marks],
    });
    expect(most).toBe(2);
    expect(results(result.messages)).toMatchObject([{ output: 'a' }, { output: 'b' }]);
  });

  test('U-Y7: a tool that may be repeated is, and one that must not run twice is not', async () => {
    const twice = wraps('twice', async (call, next) => {
      const first = await next(call);
      return next(call).catch(() => first);
    });
    const keys: string[] = [];
    const safe = counted('safe', {
      sideEffects: 'idempotent',
      execute: (ctx) => keys.push(ctx.idempotencyKey),
    });
    const once = counted('once');
    const model = scriptedModel([calls({ name: 'safe' }, { name: 'once' }), 'done']);
    const { result } = await play(mode, { model, tools: [safe.tool, once.tool], hooks: [twice] });
    expect(safe.inputs).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
    expect(once.inputs).toHaveLength(1);
    expect(results(result.messages)).toMatchObject([
      { outcome: 'succeeded' },
      { outcome: 'succeeded' },
    ]);
  });

  test('a cancel before the tool is told as such, and nothing runs', async () => {
    const controller = new AbortController();
    const look = counted('look');
    const slow = wraps('slow', async (call, next) => {
      controller.abort();
      await sleep(5);
      return next(call);
    });
    const { result } = await play(
      mode,
      { model: scriptedModel([calls({ name: 'look' })]), tools: [look.tool], hooks: [slow] },
      { signal: controller.signal },
    );
    expectStatus(result, 'cancelled');
    expect(results(result.messages)).toMatchObject([{ outcome: 'cancelled' }]);
    await sleep(20);
    expect(look.inputs).toEqual([]);
  });

  test('a cancel while the tool runs waits for it, and keeps what it did', async () => {
    const controller = new AbortController();
    const pay = counted('pay', {
      execute: async () => {
        controller.abort();
        await sleep(10);
        return 'paid';
      },
    });
    const passes = wraps('passes', async (call, next) => next(call));
    const { result, store } = await play(
      mode,
      { model: scriptedModel([calls({ name: 'pay' })]), tools: [pay.tool], hooks: [passes] },
      { signal: controller.signal },
    );
    expectStatus(result, 'cancelled');
    expect(results(result.messages)).toMatchObject([{ outcome: 'succeeded', output: 'paid' }]);
    expect(await store.readLedger('t', ['1.1.0'])).toMatchObject([
      { result: { outcome: 'succeeded' } },
    ]);
  });
});
