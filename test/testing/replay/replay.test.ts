import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import {
  defineHooks,
  type JsonObject,
  MessageDecision,
  QueryDecision,
  ResponseDecision,
  ResultsDecision,
  shadow,
  ToolDecision,
  ToolResultDecision,
  tool,
  toolResultsOf,
  WindowDecision,
} from '../../../src/index.ts';
import { assistant, called, history, user } from '../../../src/testing/history.ts';
import { replay } from '../../../src/testing/replay/replay.ts';
import { toolResult } from '../../../src/testing/tool-payloads.ts';
import { onRefund, recorded, watch } from './refunds.ts';
import { collect, conversation, linesOf, replayOne } from './transcripts.ts';

describe('replay — what is decided', () => {
  test('policies are asked at each place of the record, and what they let pass follows it', async () => {
    const entry = await replayOne(recorded, { hooks: [watch] });
    expect(linesOf(entry)).toEqual([
      '1.1 onLlmResponse accept by watch',
      '1.1 preToolUse allow by watch',
      '1.2 onLlmResponse accept by watch',
      '1.2 preToolUse allow by watch',
      '1.3 onLlmResponse accept by watch',
      '2.1 onLlmResponse accept by watch',
      '2.1 preToolUse allow by watch',
      '2.2 onLlmResponse accept by watch',
    ]);
    expect(entry).toMatchObject({ turns: 2, steps: 5, calls: 3, rewritten: false, problems: [] });
    expect(entry.diverged).toBeUndefined();
  });

  test('policies see the messages, inputs and results of the record', async () => {
    const seen: unknown[] = [];
    const spy = defineHooks({
      name: 'spy',
      onUserMessage: ({ text }) => void seen.push(text),
      preToolUse: ({ effectiveInput }, ctx) => void seen.push(effectiveInput, ctx.messages.length),
      postToolUse: (_call, { output }) => void seen.push(output),
    });
    await replayOne(recorded, { hooks: [spy] });
    expect(seen).toEqual([
      'Refund order 7',
      ...[{ id: 7 }, 1, { total: 30 }],
      ...[{ id: 7, amount: 30 }, 3, 'refunded'],
      'And order 8',
      ...[{ id: 8, amount: 90 }, 7, 'refunded'],
    ]);
  });

  test.each([
    ['block', onRefund('p', ToolDecision.block('no')), 'blocked'],
    ['requires-confirmation', onRefund('p', ToolDecision.requiresConfirmation('ok?')), 'denied'],
    ['retry-with-feedback', onRefund('p', ToolDecision.retryWithFeedback('again')), 'sent-back'],
  ])('a %s diverges, and what is decided later is counted apart', async (decision, policy, why) => {
    const entry = await replayOne(recorded, { hooks: [policy] });
    expect(linesOf(entry)).toEqual([
      `1.2 preToolUse ${decision} by p`,
      `(2.1 preToolUse ${decision} by p)`,
    ]);
    expect(entry.diverged).toEqual({
      turn: 1,
      step: 2,
      why,
      by: 'p',
    });
    expect(entry.calls).toBe(1);
  });

  test('a turn that is ended diverges, and the next one is replayed', async () => {
    const policy = defineHooks({
      name: 'p',
      onUserMessage: ({ text }) => (text.includes('7') ? MessageDecision.block('no') : undefined),
      onLlmResponse: () => ResponseDecision.accept(),
    });
    const entry = await replayOne(recorded, { hooks: [policy] });
    expect(linesOf(entry)).toEqual([
      '1.0 onUserMessage block by p',
      '(2.1 onLlmResponse accept by p)',
      '(2.2 onLlmResponse accept by p)',
    ]);
    expect(entry.diverged).toEqual({ turn: 1, step: 0, why: 'turn-ended' });
  });

  test('a text that is withheld diverges, also beside a call that runs', async () => {
    const policy = defineHooks({
      name: 'p',
      onOutgoingMessage: ({ text }) => (text === 'Hm.' ? MessageDecision.block('no') : undefined),
    });
    const beside = conversation(
      history(user('Go'), assistant('Hm.', called('look', {}, 'ok')), assistant('Done.')),
    );
    const entry = await replayOne(beside, { hooks: [policy] });
    expect(entry.diverged).toEqual({ turn: 1, step: 1, why: 'text-withheld' });
    expect(entry).toMatchObject({ calls: 1, steps: 2 });
  });

  test('a policy that fails is told with how, and its turn is over', async () => {
    const policy = defineHooks({
      name: 'p',
      preToolUse: () => {
        throw new TypeError('secret');
      },
    });
    const entry = await replayOne(recorded, { hooks: [policy] });
    expect(entry.decisions[0]).toMatchObject({ decision: 'failed', reason: 'threw (TypeError)' });
    expect(entry.diverged).toMatchObject({ turn: 1, step: 1 });
    expect(JSON.stringify(entry.decisions)).not.toContain('secret');
  });

  test('a policy on trial diverges nothing', async () => {
    const entry = await replayOne(recorded, {
      hooks: [shadow(onRefund('p', ToolDecision.block('no')))],
    });
    expect(entry.decisions).toHaveLength(2);
    expect(entry.decisions[0]).toMatchObject({ decision: 'block', shadow: true, after: false });
    expect(entry.diverged).toBeUndefined();
  });

  test('a rewrite diverges nothing, and is told', async () => {
    const policy = defineHooks({
      name: 'p',
      postToolUse: () => ToolResultDecision.modify({ output: 'hidden' }),
    });
    const entry = await replayOne(recorded, { hooks: [policy] });
    expect(entry).toMatchObject({ rewritten: true });
    expect(entry.diverged).toBeUndefined();
  });

  test('text is judged as it grows where a policy wants to', async () => {
    const windows: string[] = [];
    const policy = defineHooks({
      name: 'p',
      onTextWindow: ({ text }) => {
        windows.push(text);
        return WindowDecision.release(text.length);
      },
    });
    await replayOne(recorded, { hooks: [policy] });
    expect(windows.join('')).toContain('Done.');
  });
});

describe('replay — without side effects', () => {
  test('no declared tool runs, and policies see its tier, side effects and schema', async () => {
    let ran = 0;
    const refund = tool({
      name: 'refund',
      description: 'Gives money back',
      inputSchema: z.object({ id: z.number(), amount: z.number().max(50) }),
      sideEffects: 'idempotent',
      tier: 'auto',
      execute: () => {
        ran += 1;
        return 'live';
      },
    });
    const seen: string[] = [];
    const spy = defineHooks({
      name: 'spy',
      preToolUse: ({ toolName, sideEffects, tier }) =>
        void seen.push(`${toolName} ${sideEffects} ${tier}`),
    });
    const entry = await replayOne(recorded, { hooks: [spy], tools: [refund] });
    expect(ran).toBe(0);
    expect(seen).toEqual(['get_order once auto', 'refund idempotent auto']);
    // The second call does not fit its schema: production would refuse it before any policy is asked.
    expect(entry.diverged).toMatchObject({ turn: 2, step: 1, why: 'invalid' });
  });

  test('what only watches is not told', async () => {
    let heard = 0;
    const hear = (): void => {
      heard += 1;
    };
    const policy = defineHooks({ ...watch, name: 'p', onEvent: hear });
    const observer = defineHooks({ name: 'observer', onEvent: hear });
    const entry = await replayOne(recorded, { hooks: [policy, observer] });
    expect(heard).toBe(0);
    expect(entry.decisions).toHaveLength(8);
  });

  test('a tool of which only its tier asks runs as it did', async () => {
    const asking = tool({
      name: 'refund',
      description: 'Gives money back',
      inputSchema: z.looseObject({}),
      execute: () => 'live',
    });
    expect(asking.tier).toBe('confirm');
    const entry = await replayOne(recorded, { hooks: [watch], tools: [asking] });
    expect(entry).toMatchObject({ calls: 3 });
    expect(entry.diverged).toBeUndefined();
  });

  test('a confirmation is answered as it was, where the record knows', async () => {
    const policy = onRefund('p', ToolDecision.requiresConfirmation('ok?'));
    const approvals = new Map([
      ['1.2.0', { approved: true, by: 'ann' }],
      ['2.1.0', { approved: false, by: 'ann' }],
    ]);
    const entry = await replayOne({ ...recorded, approvals }, { hooks: [policy] });
    expect(entry.diverged).toEqual({ turn: 2, step: 1, why: 'denied', by: 'p' });
    const report = await replay({
      hooks: [policy],
      conversations: [{ ...recorded, approvals }],
    }).report();
    expect(report.decisions).toMatchObject([{ decision: 'requires-confirmation', until: 2 }]);
  });

  test('a context is made for each conversation', async () => {
    const seen: unknown[] = [];
    const policy = defineHooks<{ readonly tenant: string }>({
      name: 'p',
      onTurnStart: (_turn, ctx) => void seen.push(ctx.context.tenant),
    });
    const contextOf = ({ id }: { readonly id: string }) => ({ tenant: id });
    await replay({ hooks: [policy], contextOf, conversations: [recorded] }).report();
    expect(seen).toEqual(['c', 'c']);
  });
});

describe('replay — searches', () => {
  const passage = { text: 'Ten days.', scope: 'docs', source: 'returns' };
  const found = (...passages: readonly object[]) => ({ passages }) as JsonObject;
  const search = (query: string) => called('search_knowledge', { query }, found(passage));
  const asked: string[] = [];
  const spy = defineHooks({
    name: 'spy',
    onKnowledgeQuery: ({ query }) => {
      asked.push(query);
      return query === 'b' ? QueryDecision.modify('better') : undefined;
    },
    onKnowledgeResults: ({ query, passages }) => {
      asked.push(`${query}: ${passages.map(({ text }) => text).join()}`);
      return ResultsDecision.modify([]);
    },
    postToolUse: (_call, { output }) => void asked.push(JSON.stringify(output)),
  });

  test('policies are asked about queries and passages as the record has them', async () => {
    const other = called('search_knowledge', { query: 'b' }, found({ ...passage, text: 'Two.' }));
    const before = conversation(
      history(user('Returns?'), assistant('', search('a'), other), assistant('Ten days.')),
    );
    const entry = await replayOne(before, { hooks: [spy] });
    expect(asked.splice(0).sort()).toEqual([
      'a',
      'a: Ten days.',
      'b',
      'better: Two.',
      '{"passages":[]}',
      '{"passages":[]}',
    ]);
    expect(entry.decisions.map(({ point, decision }) => `${point} ${decision}`).sort()).toEqual([
      'onKnowledgeQuery modify',
      'onKnowledgeResults modify',
      'onKnowledgeResults modify',
    ]);
    const { derivedTools } = await replay({ hooks: [spy], conversations: [before] }).report();
    expect(derivedTools).toEqual([]);
    asked.length = 0;
  });

  test('a tool of that name that searches something else is a tool', async () => {
    const foreign = called('search_knowledge', { query: 'a' }, 'a text');
    const before = conversation(history(user('Returns?'), foreign, assistant('Ten days.')));
    await replayOne(before, { hooks: [spy] });
    expect(asked.splice(0)).toEqual(['"a text"']);
  });

  test('a search that failed fails again', async () => {
    const failed = called(
      'search_knowledge',
      { query: 'a' },
      toolResult({ error: 'It cannot be searched. Do not claim success.' }, { outcome: 'failed' }),
    );
    const before = conversation(history(user('Returns?'), failed, assistant('I do not know.')));
    const entry = await replayOne(before, { hooks: [spy] });
    expect(asked.splice(0)).toEqual(['a', expect.stringMatching(/cannot be searched/)]);
    expect(entry.problems).toEqual([]);
  });
});

describe('replay — records that are not whole', () => {
  test('what the record blocked and the policies block too is no divergence', async () => {
    const blocked = toolResult('Blocked: no', { outcome: 'blocked' });
    const before = conversation(
      history(user('Go'), called('refund', { id: 1 }, blocked), assistant('I may not.')),
    );
    const same = await replayOne(before, { hooks: [onRefund('p', ToolDecision.block('no'))] });
    expect(same.diverged).toBeUndefined();
    const open = await replayOne(before, { hooks: [watch] });
    expect(open.diverged).toMatchObject({ turn: 1, step: 1, why: 'ran' });
  });

  test('a failure of the record is a failure for policies', async () => {
    const failed = toolResult(
      { error: 'No such order. Do not claim success.' },
      { outcome: 'failed' },
    );
    const before = conversation(
      history(user('Go'), called('refund', { id: 1 }, failed), assistant('It failed.')),
    );
    const seen: unknown[] = [];
    const spy = defineHooks({
      name: 'spy',
      postToolUse: (_call, result) => void seen.push(result),
    });
    const entry = await replayOne(before, { hooks: [spy] });
    expect(seen).toEqual([failed]);
    expect(entry).toMatchObject({ rewritten: false });
  });

  test.each([
    [{ type: 'error-text', value: 'No such order.' }, 'failed'],
    [{ type: 'execution-denied', reason: 'not today' }, 'denied'],
  ])('what the AI SDK records as %j reads the same again', async (output, outcome) => {
    const before = conversation([
      { role: 'user', content: 'Go' },
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'refund', input: {} }],
      },
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'a', output }] },
      { role: 'assistant', content: 'It did not work.' },
    ]);
    const seen: unknown[] = [];
    const spy = defineHooks({
      name: 'spy',
      preToolUse: () =>
        outcome === 'denied' ? ToolDecision.requiresConfirmation('ok?') : undefined,
      onLlmResponse: (_response, ctx) =>
        void seen.push(...ctx.messages.flatMap(toolResultsOf).map((one) => one.outcome)),
    });
    const entry = await replayOne(before, { hooks: [spy] });
    expect(seen).toEqual([outcome]);
    expect(entry).toMatchObject({ rewritten: false, problems: [] });
    expect(entry.diverged).toBeUndefined();
  });

  test('where the record ends, nobody is asked about words that nobody wrote', async () => {
    const cut = conversation(history(user('Go'), called('refund', { id: 1 }, 'ok'), user('More')));
    const entry = await replayOne(cut, { hooks: [watch] });
    expect(linesOf(entry)).toEqual([
      '1.1 onLlmResponse accept by watch',
      '1.1 preToolUse allow by watch',
    ]);
    expect(entry.problems).toEqual([]);
    expect(entry.diverged).toBeUndefined();
  });

  test('a call that was never answered ends its turn', async () => {
    const open = conversation([
      { role: 'user', content: 'Go' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'refund', arguments: '{}' } }],
      },
      { role: 'user', content: 'Well?' },
      { role: 'assistant', content: 'Sorry.' },
    ]);
    const entry = await replayOne(open, { hooks: [watch] });
    expect(linesOf(entry)).toEqual([
      '1.1 onLlmResponse accept by watch',
      '1.1 preToolUse allow by watch',
      '2.1 onLlmResponse accept by watch',
    ]);
    expect(entry.diverged).toBeUndefined();
  });

  test('answers that no turn of an agent would have are told, never lost', async () => {
    const twice = conversation([
      { role: 'assistant', content: 'Hello!' },
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'One.' },
      { role: 'assistant', content: 'Two.' },
    ]);
    const entry = await replayOne(twice, { hooks: [watch] });
    expect(entry.problems).toEqual([expect.stringContaining('2 recorded answers')]);
  });

  test('a conversation that no agent takes is broken, and the rest is replayed', async () => {
    const empty = conversation([
      { role: 'user', content: '' },
      { role: 'assistant', content: 'Hm?' },
    ]);
    const run = replay({ hooks: [watch], conversations: [empty, recorded] });
    expect((await collect(run)).map(({ type }) => type)).toEqual(['broken', 'replayed']);
    expect(await run.report()).toMatchObject({ conversations: 2, broken: 1, replayed: 1 });
  });

  test('a turn may be as long, and an output as large, as it was', async () => {
    const calls = Array.from({ length: 60 }, (_, at) => called('look', { at }, 'x'.repeat(70_000)));
    const long = conversation(history(user('Go'), ...calls, assistant('Done.')));
    const entry = await replayOne(long, { hooks: [] });
    expect(entry).toMatchObject({ steps: 61, calls: 60, problems: [], rewritten: false });
    expect(entry.diverged).toBeUndefined();
  });

  test('an answer with nothing in it is no step', async () => {
    const empty = conversation([
      { role: 'user', content: 'Go' },
      ...Array.from({ length: 5 }, () => ({ role: 'assistant', content: '' })),
      { role: 'assistant', content: 'Here I am.' },
    ]);
    const entry = await replayOne(empty, { hooks: [watch] });
    expect(linesOf(entry)).toEqual(['1.1 onLlmResponse accept by watch']);
    expect(entry).toMatchObject({ steps: 1, problems: [] });
  });

  test('two calls of one tool in one response get the answer of each', async () => {
    const pair = conversation(
      history(
        user('Go'),
        assistant('', called('look', { id: 1 }, 'one'), called('look', { id: 2 }, 'two')),
        assistant('Done.'),
      ),
    );
    const seen: unknown[] = [];
    const spy = defineHooks({
      name: 'spy',
      postToolUse: ({ effectiveInput }, { output }) =>
        void seen.push(`${effectiveInput['id']} ${output}`),
    });
    await replayOne(pair, { hooks: [spy] });
    expect(seen.sort()).toEqual(['1 one', '2 two']);
  });

  test('a schema of the record is enforced', async () => {
    const tools = [
      {
        type: 'function',
        function: {
          name: 'refund',
          parameters: {
            type: 'object',
            properties: { id: { type: 'number', maximum: 7 }, amount: {} },
          },
        },
      },
    ];
    const messages = recorded.messages;
    const entry = await replayOne(conversation(messages, { tools }), { hooks: [watch] });
    expect(entry.diverged).toMatchObject({ turn: 2, step: 1, why: 'invalid' });
  });
});

test('a loop that is left early loses nothing', async () => {
  const run = replay({ hooks: [watch], conversations: [recorded, recorded, recorded] });
  for await (const _entry of run) break;
  for await (const _entry of run) break;
  expect(await run.report()).toMatchObject({ conversations: 3, replayed: 3 });
});

test('policies can be made for each conversation, and a maker that fails is told', async () => {
  const made: string[] = [];
  const hooks = ({ threadId }: { readonly threadId: string }) => {
    made.push(threadId);
    if (threadId === 'bad') throw new Error('SECRET');
    return [watch];
  };
  const conversations = [recorded, { ...recorded, id: 'bad' }];
  const entries = await collect(replay({ hooks, conversations }));
  expect(new Set(made)).toEqual(new Set(['c', 'bad']));
  expect(entries).toMatchObject([
    { problems: [] },
    { problems: [expect.stringContaining('HookError'), expect.anything(), expect.anything()] },
  ]);
  expect(JSON.stringify(entries)).not.toContain('SECRET');
});

test('policies that no agent takes are refused before anything is read', () => {
  const conversations = {
    [Symbol.iterator]: () => {
      throw new Error('it was read');
    },
  };
  const stray = { preToolUsee: () => undefined } as never;
  expect(() => replay({ hooks: [stray], conversations })).toThrow(/preToolUse/);
  expect(() => replay({ hooks: [watch], against: [stray], conversations })).toThrow(/against\[0\]/);
});

test('a policy without a name is called by its place, behind one that only watches, too', async () => {
  const watches = { onEvent: () => undefined };
  const blocks = { preToolUse: () => ToolDecision.block('no') };
  const { decisions } = await replayOne(recorded, { hooks: [watches, blocks] });
  expect(decisions[0]).toMatchObject({ policy: 'policy-2', decision: 'block' });
});
