import { defineHooks, memoryStore, type ToolResult } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { dyingStore } from '../../loop/desk.ts';
import {
  approvalsOf,
  askFirst,
  callClerk,
  callThen,
  often,
  outputsOf,
  team,
  yesTo,
} from './team.ts';

const script = often(callThen('desk: done', callClerk()));
const asking = { clerk: { hooks: [askFirst] } };

describe('N8: a policy around a call that waits', () => {
  test('N8: gets no result, is let go, and is put around it anew when it goes on', async () => {
    const log: string[] = [];
    const around = (name: string) =>
      defineHooks({
        name,
        wrapToolUse: async (call, next) => {
          if (call.toolName !== 'clerk') return next(call);
          log.push(`${name} before`);
          try {
            const result = await next(call);
            log.push(`${name} got ${result.output}`);
            return result;
          } finally {
            log.push(`${name} left`);
          }
        },
      });
    const hooks = [around('outer'), around('inner')];
    const { desk, store } = team({ ...asking, desk: { script, hooks } });
    const paused = await desk.run({ threadId: 't', message: 'go' });
    expect(approvalsOf(paused)).toHaveLength(1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(log.toSorted()).toEqual(['inner before', 'inner left', 'outer before', 'outer left']);
    const failed = (await store.readEvents('t')).filter(({ type }) => type === 'hook.failed');
    expect(failed).toEqual([]);
    log.length = 0;
    const result = await desk.resume({ threadId: 't', answers: yesTo(paused) });
    expect(outputsOf(result)).toEqual(['clerk: paid']);
    expect(log).toEqual([
      'outer before',
      'inner before',
      'inner got clerk: paid',
      'inner left',
      'outer got clerk: paid',
      'outer left',
    ]);
  });

  test('N8: cannot answer in the place of a call that waits, whatever it makes of it', async () => {
    const made: ToolResult = { outcome: 'succeeded', isError: false, output: 'made up' };
    const catching = defineHooks({
      name: 'catching',
      wrapToolUse: (call, next) =>
        call.toolName === 'clerk' ? next(call).catch(() => made) : next(call),
    });
    const { desk, log } = team({ ...asking, desk: { script, hooks: [catching] } });
    const paused = await desk.run({ threadId: 't', message: 'go' });
    expect(approvalsOf(paused)).toHaveLength(1);
    expect(log).toEqual([]);
  });

  test('a policy that answers at the second run leaves no child behind', async () => {
    let runs = 0;
    const impatient = defineHooks({
      name: 'impatient',
      wrapToolUse: (call, next) => {
        if (call.toolName !== 'clerk') return next(call);
        runs += 1;
        if (runs === 1) return next(call);
        throw new Error('no more');
      },
    });
    const { desk, log, store } = team({ ...asking, desk: { script, hooks: [impatient] } });
    const paused = await desk.run({ threadId: 't', message: 'go' });
    await desk.resume({ threadId: 't', answers: yesTo(paused) });
    expect(log).toEqual([]);
    expect((await store.load('t/1.1.0'))?.state['phase']).toMatchObject({
      name: 'finished',
      outcome: { status: 'cancelled' },
    });
    expect(await desk.pendingApprovals()).toEqual([]);
  });

  test('that was not around an answer of an ended process keeps that answer back at the end', async () => {
    let now = 1_000;
    const disk = memoryStore({ now: () => now });
    const around = defineHooks({ name: 'around', wrapToolUse: (call, next) => next(call) });
    const parts = { desk: { script, hooks: [around] } };
    // Six commits: the clerk has ended, and the desk does not know yet.
    await team({ ...parts, store: dyingStore(disk, 6) })
      .desk.run({ threadId: 't', message: 'go' })
      .catch((error: unknown) => error);
    now += 60_000;
    const result = await team({ ...parts, store: disk }).desk.cancel('t');
    expect(outputsOf(result)).toEqual([expect.stringContaining('was withheld')]);
    expect(JSON.stringify(result.messages)).not.toContain('clerk: paid');
  });

  test('a second `next` gives the same answer, and runs the subagent once', async () => {
    const twice = defineHooks({
      name: 'twice',
      wrapToolUse: async (call, next) => {
        if (call.toolName === 'clerk') await next(call);
        return next(call);
      },
    });
    const { desk, log } = team({ desk: { script, hooks: [twice] } });
    const result = await desk.run({ message: 'go' });
    expect(outputsOf(result)).toEqual(['clerk: paid']);
    expect(result).toMatchObject({ usage: { inputTokens: 40 } });
    expect(log).toEqual(['pay 5']);
  });
});
