import assert from 'node:assert/strict';
import type { ThreadRewrite } from '../../../stores/port.ts';
import { assertFrozen } from './assert-frozen.ts';
import { claimed, refused, type StoreCase } from './case.ts';
import { FULL, fullThread, IDS, THREAD } from './full-thread.ts';
import {
  approval,
  artifact,
  changes,
  event,
  everything,
  HARD_VALUES,
  intent,
  outcome,
  same,
  toolResult,
  userMessage,
} from './samples.ts';

/** Gives every record back as it is. */
const SAME: ThreadRewrite = {
  state: (state) => state,
  message: (message) => message,
  event: (each) => each,
  result: (result) => result,
  approval: (each) => each,
  artifact: (each) => each,
  memory: (memory) => memory,
};

/** Leaves a mark in each record. */
const MARKED: ThreadRewrite = {
  state: (state) => ({ ...state, marked: true }),
  message: (message) => ({ ...message, marked: true }),
  event: (each) => ({ ...each, marked: true }),
  result: (result) => ({ ...result, output: { was: result.output } }),
  approval: (each) => ({ ...each, marked: true }),
  artifact: (each) => ({ ...each, text: `marked ${each.text}` }),
  memory: (memory, policy) => ({ ...memory, of: policy }),
};

/** One that makes each kind of record into another, by the member it changes. */
const OTHERS: readonly (readonly [what: string, rewrite: Partial<ThreadRewrite>])[] = [
  ['the role of a message', { message: () => ({ role: 'system', content: 'x' }) }],
  ['the number of an event', { event: (each) => ({ ...each, seq: each.seq + 10 }) }],
  ['the type of an event', { event: (each) => ({ ...each, type: 'step.started' }) }],
  ['the thread of an event', { event: (each) => ({ ...each, threadId: 'other' }) }],
  ['the outcome of a call', { result: (result) => ({ ...result, outcome: 'failed' }) }],
  ['the id of an approval', { approval: (each) => ({ ...each, approvalId: 'other' }) }],
  ['the thread of an approval', { approval: (each) => ({ ...each, threadId: 'other' }) }],
  ['the status of an approval', { approval: (each) => ({ ...each, status: 'expired' }) }],
  ['the id of an artifact', { artifact: (each) => ({ ...each, artifactId: 'other' }) }],
  ['the state, to none', { state: () => null as never }],
  ['memory, to a list', { memory: () => [] as never }],
];

export const rewriteCases: readonly StoreCase[] = [
  {
    name: 'rewrite: each record is put in its own place, and the version grows by one',
    check: async ({ store }) => {
      const token = await fullThread(store);
      await store.recordLate(THREAD, 'c3', toolResult('late'));
      await store.rewriteThread(THREAD, token, 1, MARKED);
      same(await store.load(THREAD), {
        threadId: THREAD,
        version: 2,
        state: MARKED.state(HARD_VALUES),
        messageCount: 2,
        lastSeq: 5,
        memory: { policy: { ...HARD_VALUES, of: 'policy' } },
      });
      same(await store.readMessages(THREAD), FULL.messages.map(MARKED.message));
      same(await store.readEvents(THREAD), FULL.events.map(MARKED.event));
      const late = { ...outcome('c3', ''), result: MARKED.result(toolResult('late')), late: true };
      same(await store.readLedger(THREAD, IDS.callIds), [
        intent('c1'),
        { ...outcome('c2', ''), result: MARKED.result(toolResult('done')) },
        { ...late, at: 1_700_000_000_000 },
      ]);
      same(await store.readArtifact(THREAD, 'o1'), artifact('o1', 'marked one'));
      const [open, denied] = FULL.approvals.map(MARKED.approval);
      same(await store.pendingApprovals(), [open]);
      same(await store.pendingApprovals({ threadId: THREAD }), [open]);
      same([await store.findApproval('a1'), await store.findApproval('a2')], [open, denied]);
    },
  },
  {
    name: 'rewrite: a long thread is rewritten to its last record, once each',
    check: async ({ store }) => {
      const numbers = Array.from({ length: 450 }, (_, index) => index + 1);
      const long = changes({
        messages: numbers.map((n) => userMessage(`${n}`)),
        events: numbers.map((n) => event(THREAD, n)),
        ledger: numbers.map((n) => outcome(`c${n}`, '')),
        approvals: numbers.map((n) => approval(THREAD, `a${n}`)),
        memory: Object.fromEntries(numbers.map((n) => [`p${n}`, {}])),
        artifacts: numbers.map((n) => artifact(`o${n}`, '')),
      });
      const token = await claimed(store, THREAD);
      await store.commit(THREAD, token, 0, long);
      const count: Record<string, number> = {};
      const counted = <Value>(kind: string, value: Value): Value => {
        count[kind] = (count[kind] ?? 0) + 1;
        return value;
      };
      await store.rewriteThread(THREAD, token, 1, {
        state: (state) => counted('state', state),
        message: (message) => counted('message', MARKED.message(message)),
        event: (each) => counted('event', MARKED.event(each)),
        result: (result) => counted('result', MARKED.result(result)),
        approval: (each) => counted('approval', MARKED.approval(each)),
        artifact: (each) => counted('artifact', MARKED.artifact(each)),
        memory: (memory, policy) => counted('memory', MARKED.memory(memory, policy)),
      });
      const each = { message: 450, event: 450, result: 450, approval: 450, artifact: 450 };
      same(count, { state: 1, ...each, memory: 450 });
      same(await store.readMessages(THREAD), long.messages.map(MARKED.message));
      same(await store.readEvents(THREAD), long.events.map(MARKED.event));
      same(await store.readArtifact(THREAD, 'o450'), artifact('o450', 'marked '));
    },
  },
  {
    name: 'rewrite: the claim and the version are those of a commit, or nothing is changed',
    check: async ({ store }) => {
      const token = await fullThread(store);
      const before = await everything(store, THREAD, IDS);
      const rewrite = (someToken: number, version: number) => () =>
        store.rewriteThread(THREAD, someToken, version, MARKED);
      for (const version of [0, 2]) await refused('thread-conflict', rewrite(token, version));
      await refused('thread-conflict', rewrite(token + 1, 1));
      await store.release(THREAD, token);
      await refused('thread-conflict', rewrite(token, 1));
      same(await everything(store, THREAD, IDS), before);
      const none = await claimed(store, 'nobody');
      await refused('thread-conflict', () => store.rewriteThread('nobody', none, 0, MARKED));
      assert.equal(await store.load('nobody'), undefined);
    },
  },
  ...(Object.keys(SAME) as (keyof ThreadRewrite)[]).map(
    (kind): StoreCase => ({
      name: `rewrite: one that throws changes nothing (${kind})`,
      check: async ({ store }) => {
        const token = await fullThread(store);
        const before = await everything(store, THREAD, IDS);
        const fails = new Error('this one fails');
        const rewrite = {
          ...MARKED,
          [kind]: () => {
            throw fails;
          },
        };
        await assert.rejects(
          async () => store.rewriteThread(THREAD, token, 1, rewrite),
          (error) => error === fails,
        );
        same(await everything(store, THREAD, IDS), before);
        await store.commit(THREAD, token, 1, changes());
      },
    }),
  ),
  ...OTHERS.map(
    ([what, other]): StoreCase => ({
      name: `rewrite: one that changes ${what} is refused, and changes nothing`,
      check: async ({ store }) => {
        const token = await fullThread(store);
        const before = await everything(store, THREAD, IDS);
        await refused('invalid-input', () =>
          store.rewriteThread(THREAD, token, 1, { ...MARKED, ...other }),
        );
        same(await everything(store, THREAD, IDS), before);
      },
    }),
  ),
  {
    name: 'rewrite: it is given what is frozen, and what it gives is frozen',
    check: async ({ store }) => {
      const token = await fullThread(store);
      const given: unknown[] = [];
      const noted = <Value>(value: Value): Value => {
        given.push(value);
        return structuredClone(value);
      };
      await store.rewriteThread(THREAD, token, 1, {
        ...SAME,
        message: noted,
        event: noted,
        approval: noted,
      });
      assert.equal(given.length, 6);
      for (const value of given) assertFrozen(value);
      for (const record of [
        ...(await store.readMessages(THREAD)),
        ...(await store.readEvents(THREAD)),
        ...(await store.pendingApprovals()),
      ])
        assertFrozen(record);
    },
  },
  {
    name: 'rewrite: the thread goes on after it',
    check: async ({ store }) => {
      const token = await fullThread(store);
      await store.rewriteThread(THREAD, token, 1, MARKED);
      await refused('thread-conflict', () =>
        store.commit(THREAD, token, 2, changes({ events: [event(THREAD, 5)] })),
      );
      const next = changes({ messages: [userMessage('three')], events: [event(THREAD, 6)] });
      await store.commit(THREAD, token, 2, next);
      same((await store.readMessages(THREAD, { after: 2 })).length, 1);
      same((await store.load(THREAD))?.lastSeq, 6);
    },
  },
];
