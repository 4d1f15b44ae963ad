import { describe, expect, test } from 'vitest';
import { MessageDecision } from '../../src/decisions/message-decision.ts';
import { ToolDecision } from '../../src/decisions/tool-decision.ts';
import { HookError } from '../../src/errors/hook-error.ts';
import { defineHooks } from '../../src/hooks/policy.ts';
import {
  acceptAll,
  asIs,
  bench,
  illegal,
  invocation,
  NOW,
  request,
  response,
} from './make-gate.ts';

const boom = () => {
  throw new RangeError('token=sk-demo');
};

const raise = (value: unknown) => {
  throw value;
};

/** Something that is no promise, and can be awaited. */
const thenable = (
  then: (ok: (value: unknown) => void, no: (cause: unknown) => void) => void,
): object => Object.fromEntries([['then', then]]);

describe('a failure of a policy', () => {
  test('B07: a guard that throws counts as closed', async () => {
    const { gate, failures } = bench([
      defineHooks({ name: 'a', version: '3', preLlmRequest: boom }),
    ]);
    const verdict = await gate.request(request(), NOW, asIs);
    expect(verdict).toMatchObject({
      type: 'failed',
      error: { kind: 'threw', policy: 'a', point: 'preLlmRequest' },
    });
    expect(failures()).toEqual([
      {
        type: 'hook.failed',
        policy: 'a',
        version: '3',
        point: 'preLlmRequest',
        kind: 'threw',
        errorName: 'RangeError',
        open: false,
      },
    ]);
  });

  test.each([
    ['thrown', boom],
    ['rejected', async () => boom()],
  ])('keeps what was %s as its cause, and out of its message and record', async (_how, hook) => {
    const { gate, recorded } = bench([defineHooks({ name: 'a', preLlmRequest: hook })]);
    const verdict = await gate.request(request(), NOW, asIs);
    const error = verdict.type === 'failed' ? verdict.error : undefined;
    expect(error).toBeInstanceOf(HookError);
    expect(error?.cause).toBeInstanceOf(RangeError);
    expect(error?.message + JSON.stringify(recorded)).not.toContain('sk-demo');
  });

  test.each([
    ['rejects', async () => Promise.reject(new Error('no')), 'threw'],
    ['throws nothing at all', () => raise(undefined), 'threw'],
    ['answers a word', () => 'allow', 'illegal'],
    ['answers true', () => true, 'illegal'],
    ['answers null', () => null, 'illegal'],
    ['answers a misspelled decision', () => ({ type: 'alow' }), 'illegal'],
    ['answers with one key too many', () => ({ type: 'allow', why: 'x' }), 'illegal'],
    ['answers a misspelled decision later', async () => ({ type: 'alow' }), 'illegal'],
    ['answers for another point', () => MessageDecision.proceed(), 'illegal'],
    [
      'answers a decision that throws when read',
      () => ({
        get type() {
          throw new Error('no');
        },
      }),
      'illegal',
    ],
    ['answers a thenable that throws', () => thenable(boom), 'threw'],
    [
      'answers a thenable that cannot be looked at',
      () => Object.defineProperty({}, 'then', { get: boom }),
      'threw',
    ],
    ['answers a thenable that rejects', () => thenable((_ok, no) => no(1)), 'threw'],
    [
      'answers a thenable of a thenable of nonsense',
      () => thenable((ok) => ok(thenable((go) => go('x')))),
      'illegal',
    ],
    [
      'throws something that cannot be looked at',
      () => {
        throw new Proxy({}, { getPrototypeOf: boom, get: boom });
      },
      'threw',
    ],
  ])('a tool gate that %s runs nothing', async (_what, hook, kind) => {
    const { gate, failures } = bench([illegal({ name: 'a', preToolUse: hook })]);
    expect(await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs)).toMatchObject(
      {
        type: 'failed',
        error: { kind },
      },
    );
    expect(failures()).toMatchObject([{ kind, open: false, callId: '1.1.0' }]);
  });

  test.each([
    ['thrown', () => raise(ToolDecision.block('no'))],
    ['rejected', async () => raise(ToolDecision.block('no'))],
  ])('of a decision that was %s it is said that decisions are returned', async (_how, hook) => {
    const { gate } = bench([illegal({ name: 'a', preToolUse: hook })]);
    const verdict = await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs);
    expect(verdict).toMatchObject({ error: { kind: 'threw', cause: { type: 'block' } } });
    const { message } = (verdict as unknown as { error: HookError }).error;
    expect(message).toMatch(/threw a decision \('block'\).*`return` in the place of `throw`/);
  });

  test('another object that is thrown is no decision', async () => {
    const hook = () => raise({ type: 'oops' });
    const { gate } = bench([illegal({ name: 'a', preToolUse: hook })]);
    const verdict = await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs);
    expect(verdict).toMatchObject({ error: { message: expect.stringContaining('See `cause`') } });
  });

  test('a thenable may answer like any promise, once', async () => {
    const twice = thenable((answer, refuse) => {
      answer(ToolDecision.block('first'));
      answer(ToolDecision.allow());
      refuse(new Error('second thoughts'));
    });
    const { gate, failures } = bench([illegal({ name: 'a', preToolUse: () => twice })]);
    expect(await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs)).toMatchObject(
      {
        verdict: { type: 'block' },
      },
    );
    expect(failures()).toEqual([]);
  });

  test('a closed failure wins over every vote, and nobody is asked after it', async () => {
    const asked: string[] = [];
    const { gate } = bench([
      defineHooks({ name: 'a', preToolUse: () => ToolDecision.block('no') }),
      defineHooks({ name: 'b', preToolUse: boom }),
      defineHooks({ name: 'c', preToolUse: () => void asked.push('c') }),
    ]);
    expect(await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs)).toMatchObject(
      {
        type: 'failed',
        error: { policy: 'b' },
      },
    );
    expect(asked).toEqual([]);
  });

  test('a closed response policy that fails is no accept', async () => {
    const { gate } = bench([defineHooks({ name: 'a', onLlmResponse: boom })]);
    expect(
      await gate.response(response([]), { newCallId: () => 'id', moment: NOW }, asIs),
    ).toMatchObject({ type: 'failed' });
  });
});

describe('a failure where the policy is open', () => {
  test('is recorded, and then no opinion', async () => {
    const { gate, failures } = bench([
      defineHooks({ name: 'a', options: { preToolUse: { failure: 'open' } }, preToolUse: boom }),
      defineHooks({ name: 'b', preToolUse: () => ToolDecision.block('no') }),
    ]);
    expect(await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs)).toMatchObject(
      {
        verdict: { type: 'block', policy: 'b' },
      },
    );
    expect(failures()).toMatchObject([{ policy: 'a', open: true }]);
  });

  test('is never an allow: the tier still decides', async () => {
    const { gate } = bench([
      illegal({
        name: 'a',
        options: { preToolUse: { failure: 'open' } },
        preToolUse: () => 'allow',
      }),
    ]);
    expect(await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs)).toMatchObject(
      {
        verdict: { type: 'no-opinion' },
      },
    );
  });

  test('is the default for outgoing texts, which go out as they were', async () => {
    const { gate, failures } = bench([defineHooks({ name: 'a', onOutgoingMessage: boom })]);
    expect(await gate.outgoing({ text: 'hi', isFinal: true }, NOW)).toEqual({
      type: 'pass',
      value: { text: 'hi', isFinal: true },
      modified: false,
    });
    expect(failures()).toMatchObject([{ open: true }]);
  });

  test('can be closed for one policy', async () => {
    const { gate } = bench([
      defineHooks({
        name: 'a',
        options: { onOutgoingMessage: { failure: 'closed' } },
        onOutgoingMessage: boom,
      }),
    ]);
    expect(await gate.outgoing({ text: 'hi', isFinal: true }, NOW)).toMatchObject({
      type: 'failed',
    });
  });
});

describe('mustDecide', () => {
  const must = { options: { preToolUse: { mustDecide: true } } };

  test('makes silence a failure, now and later', async () => {
    for (const preToolUse of [() => undefined, async () => undefined]) {
      const { gate } = bench([defineHooks({ name: 'a', ...must, preToolUse })]);
      expect(
        await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs),
      ).toMatchObject({
        error: { kind: 'undecided' },
      });
    }
  });

  test('is satisfied by abstaining', async () => {
    const { gate } = bench([
      defineHooks({ name: 'a', ...must, preToolUse: () => ToolDecision.abstain() }),
    ]);
    expect(await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs)).toMatchObject(
      {
        verdict: { type: 'no-opinion' },
      },
    );
  });
});
