import { describe, expect, test } from 'vitest';
import {
  ConfigError,
  defineHooks,
  HookError,
  MessageDecision,
  scriptedModel,
  ToolDecision,
} from '../../src/index.ts';
import { agentFor, counted, expectStatus, MODES, play, stores } from './play.ts';
import { expectSound, resultsIn } from './traces.ts';

const script = [{ toolCalls: [{ name: 'charge' }] }, 'done'];
const crashes = defineHooks({
  name: 'crashes',
  preToolUse() {
    throw new Error('spawn ENOENT');
  },
});
const denies = defineHooks({
  name: 'denies',
  preToolUse: () => ToolDecision.block('not on Sundays'),
});

describe.each(MODES)('%s', (mode) => {
  test('B08: a hook that denies is a block, and one that crashes is a failure', async () => {
    const charge = counted('charge');
    const tools = [charge.tool];
    const denied = await play(mode, { model: scriptedModel(script), tools, hooks: [denies] });
    const failed = await play(mode, { model: scriptedModel(script), tools, hooks: [crashes] });
    expectStatus(denied.result, 'completed');
    expect(resultsIn(await denied.store.readMessages('t'))).toEqual({
      '1.1.0': { outcome: 'blocked', output: 'Blocked: not on Sundays' },
    });
    const { error } = expectStatus(failed.result, 'failed');
    expect(error).toBeInstanceOf(HookError);
    expect(error.message).toContain("policy 'crashes' at preToolUse");
    expect(error.message).not.toContain('ENOENT');
    expect(resultsIn(await failed.store.readMessages('t'))).toEqual({
      '1.1.0': { outcome: 'not-executed', output: 'Not executed: a policy failed' },
    });
    expect(charge.inputs).toEqual([]);
    await expectSound(denied);
    await expectSound(failed);
  });

  test('B08: a failure beats a deny, whichever is asked first', async () => {
    for (const hooks of [
      [crashes, denies],
      [denies, crashes],
    ]) {
      const charge = counted('charge');
      const played = await play(mode, {
        model: scriptedModel(script),
        tools: [charge.tool],
        hooks,
      });
      const { error } = expectStatus(played.result, 'failed');
      expect(error).toMatchObject({ policy: 'crashes', kind: 'threw' });
      expect(charge.inputs).toEqual([]);
    }
  });

  test('B08: a blocked message and a failed guard of messages end in different ways', async () => {
    const blocks = defineHooks({
      name: 'guard',
      onUserMessage: () => MessageDecision.block('not that'),
    });
    const breaks = defineHooks({
      name: 'guard',
      onUserMessage() {
        throw new Error('spawn ENOENT');
      },
    });
    const blocked = await play(mode, { model: scriptedModel(['hi']), hooks: [blocks] });
    const failed = await play(mode, { model: scriptedModel(['hi']), hooks: [breaks] });
    const none = await play(mode, { model: scriptedModel(['hi']) });
    expect(expectStatus(blocked.result, 'blocked')).toMatchObject({
      by: 'guard',
      reason: 'not that',
    });
    expect(expectStatus(failed.result, 'failed').error).toMatchObject({ policy: 'guard' });
    expectStatus(none.result, 'completed');
  });

  test('B08: policies that cannot be made end the run as a hook failure, with nothing stored', async () => {
    const model = scriptedModel(['hi']);
    const hooks = (): never => {
      throw new Error('spawn ENOENT');
    };
    const played = await play(mode, { model, hooks });
    const { error } = expectStatus(played.result, 'failed');
    expect(error).toBeInstanceOf(HookError);
    expect(error).toMatchObject({ kind: 'threw', cause: { message: 'spawn ENOENT' } });
    expect(error.message).not.toContain('ENOENT');
    expect(model.calls).toBe(0);
    expect(await played.store.load('t')).toBeUndefined();
  });
});

describe.each(stores())('%s store', (_name, open) => {
  test('B08: the store tells a failure from a deny too', async () => {
    const charge = counted('charge');
    const store = open();
    const tools = [charge.tool];
    await agentFor('run', { store, model: scriptedModel(script), tools, hooks: [denies] }).run({
      threadId: 'denied',
      message: 'hello',
    });
    await agentFor('run', { store, model: scriptedModel(script), tools, hooks: [crashes] }).run({
      threadId: 'failed',
      message: 'hello',
    });
    const denied = (await store.readEvents('denied')).map(({ type }) => type);
    const failed = (await store.readEvents('failed')).map(({ type }) => type);
    expect(denied).toContain('hook.decided');
    expect(denied).not.toContain('hook.failed');
    expect(failed).toContain('hook.failed');
    expect(failed).not.toContain('hook.decided');
  });
});

test('B08: a list of policies that is no list of policies is a mistake of the caller, and thrown', async () => {
  const agent = agentFor('run', { model: scriptedModel(['hi']), hooks: () => [{} as never] });
  await expect(agent.run({ message: 'hello' })).rejects.toThrow(ConfigError);
});
