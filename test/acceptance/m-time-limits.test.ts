import { expect, test } from 'vitest';
import { type AgentHooks, defineHooks, scriptedModel } from '../../src/index.ts';
import { counted, expectStatus, MODES, play, sleep } from './play.ts';

const call = { toolCalls: [{ name: 'look' }] };
const slow = (options: NonNullable<AgentHooks['options']> = {}) =>
  defineHooks({ name: 'slow', options, preLlmRequest: () => sleep(650).then(() => undefined) });

/** Plays the same scene in every mode at the same time. */
function everywhere(hooks: readonly AgentHooks[], hookTimeouts?: 'voice') {
  return Promise.all(
    MODES.map(async (mode) => {
      const profile = hookTimeouts === undefined ? {} : { hookTimeouts };
      const look = counted('look');
      const scene = { model: scriptedModel([call, 'done']), tools: [look.tool], hooks, ...profile };
      return (await play(mode, scene)).result;
    }),
  );
}

test('M-33: while someone listens, a policy that takes more than half a second has failed', async () => {
  for (const result of await everywhere([slow()], 'voice'))
    expect(expectStatus(result, 'failed').error).toMatchObject({ kind: 'timed-out' });
});

test('M-33: and else it has more time', async () => {
  for (const result of await everywhere([slow()])) expectStatus(result, 'completed');
});

test('M-17, M-33: a limit of its own is longer, and around a call there is more time in any case', async () => {
  const own = slow({ preLlmRequest: { timeoutMs: 5_000 } });
  const wraps = defineHooks({
    name: 'wraps',
    wrapToolUse: async (one, next) => {
      await sleep(650);
      return next(one);
    },
  });
  for (const result of await everywhere([own, wraps], 'voice')) expectStatus(result, 'completed');
});
