import {
  type AgentHooks,
  compose,
  createAgent,
  defineHooks,
  failOpen,
  forTools,
  type HookContext,
  MessageDecision,
  memoryStore,
  Policy,
  parallel,
  ResponseDecision,
  scriptedModel,
  shadow,
  ToolDecision,
  when,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { counted, expectStatus, MODES, play, sleep } from '../../acceptance/play.ts';
import { expectSound, placesOf } from '../../acceptance/traces.ts';

const calls = (name: string, id: string) => ({ toolCalls: [{ name, input: { id } }] });

describe.each(MODES)('whole turns by %s', (mode) => {
  const scene = (hooks: readonly AgentHooks[], name = 'charge') => {
    const tool = counted(name);
    const model = scriptedModel([calls(name, 'a'), 'done']);
    return { tool, model, played: play(mode, { model, tools: [tool.tool], hooks }) };
  };

  test('a group refuses a call in the name of its member', async () => {
    const limit = defineHooks({ name: 'limit', preToolUse: () => ToolDecision.block('too much') });
    const { tool, played } = scene([compose('payments', limit)]);
    const one = await played;
    expectStatus(one.result, 'completed');
    expect(tool.inputs).toEqual([]);
    expect(one.heard.find(({ type }) => type === 'tool.refused')).toMatchObject({
      by: 'payments/limit',
      reason: 'too much',
    });
    await expectSound(one);
  });

  test('an approval asked for in a group is answered under that name', async () => {
    const asks = defineHooks({
      name: 'asks',
      preToolUse: () => ToolDecision.requiresConfirmation('May it?'),
    });
    const grants = defineHooks({ name: 'grants', preToolUse: () => ToolDecision.allow() });
    const hooks = [compose('payments', parallel(grants, forTools(['charge'], asks)))];
    const { tool, played } = scene(hooks);
    const { agent, result } = await played;
    const [approval] = expectStatus(result, 'awaiting-approval').approvals;
    expect(approval?.requirements.map(({ policy }) => policy)).toEqual(['payments/asks']);
    const answers = [{ approvalId: approval?.approvalId ?? '', approved: true, by: 'maria' }];
    expectStatus(await agent.resume({ threadId: 't', answers }), 'completed');
    expect(tool.inputs).toEqual([{ id: 'a' }]);
  });

  test('M-110: a gate for some tools sees a call under the name that a rewrite gave it', async () => {
    const renames = defineHooks({
      name: 'renames',
      onLlmResponse: ({ toolCalls }, { recheck }) =>
        toolCalls.length === 0 || recheck
          ? undefined
          : ResponseDecision.modify({
              toolCalls: toolCalls.map((call) => ({ ...call, toolName: 'wipe_all' })),
            }),
    });
    const asks = defineHooks({
      name: 'asks',
      preToolUse: () => ToolDecision.requiresConfirmation('Wipe?'),
    });
    const look = counted('look');
    const wipe = counted('wipe_all');
    const model = scriptedModel([calls('look', 'a'), 'done']);
    const hooks = [compose(forTools(['wipe_*'], asks), renames)];
    const { result } = await play(mode, { model, tools: [look.tool, wipe.tool], hooks });
    const { approvals } = expectStatus(result, 'awaiting-approval');
    expect(approvals).toMatchObject([{ toolName: 'wipe_all' }]);
    expect([...look.inputs, ...wipe.inputs]).toEqual([]);
  });

  test('of judges asked at the same time one that refuses an answer keeps it from everybody', async () => {
    const judge = (name: string, ms: number, word: string) =>
      defineHooks({
        name,
        async onLlmResponse({ text }) {
          await sleep(ms);
          return text.includes(word)
            ? ResponseDecision.block('not that')
            : ResponseDecision.accept();
        },
      });
    const hooks = [parallel('judges', judge('slow', 10, 'plugh'), judge('fast', 1, 'never'))];
    const played = await play(mode, { model: scriptedModel(['plugh and more']), hooks });
    expect(played.result).toMatchObject({ status: 'blocked', by: 'judges/slow' });
    const places = await placesOf('plugh', played);
    // Live, it has been shown as it came, and is taken back.
    expect(places).toEqual(mode === 'stream live' ? ['heard', 'streamed'] : []);
  });

  test('a closed failure in a group ends the turn; with `failOpen` it does not', async () => {
    const broken = defineHooks({
      name: 'broken',
      preToolUse: () => {
        throw new TypeError('no');
      },
    });
    for (const group of [compose('g', broken), parallel('g', broken)]) {
      const closed = scene([group]);
      const { error } = expectStatus((await closed.played).result, 'failed');
      expect(error.message).toContain("policy 'g/broken'");
      expect(closed.tool.inputs).toEqual([]);
      const open = scene([failOpen(group)]);
      expectStatus((await open.played).result, 'completed');
      expect(open.tool.inputs).toEqual([{ id: 'a' }]);
    }
  });

  test('a condition reads the context of the app, and one that throws lets nothing through', async () => {
    interface App {
      readonly role: string;
    }
    class NoCharges extends Policy<App> {
      override preToolUse(_call: unknown, _ctx: HookContext<App>): ToolDecision {
        return ToolDecision.block('clerks do not charge');
      }
    }
    const clerksOnly = when(({ context }) => context.role.startsWith('clerk'), new NoCharges());
    const statusOf = async (context: unknown) => {
      const tool = counted('charge');
      const model = scriptedModel([calls('charge', 'a'), 'done']);
      // The scene of all modes knows no type of app; that is what its last case is about.
      const hooks = [clerksOnly as AgentHooks];
      const { result } = await play(mode, { model, tools: [tool.tool], hooks }, { context });
      return [result.status, tool.inputs.length];
    };
    expect(await statusOf({ role: 'clerk' })).toEqual(['completed', 0]);
    expect(await statusOf({ role: 'manager' })).toEqual(['completed', 1]);
    expect(await statusOf({})).toEqual(['failed', 0]);
  });

  test('a policy on trial changes nothing of a turn but its record', async () => {
    const trial: AgentHooks = {
      name: 'trial',
      onUserMessage: () => MessageDecision.block('no'),
      onLlmResponse: () => ResponseDecision.retryWithFeedback('xyzzy'),
      preToolUse: () => ToolDecision.requiresConfirmation('May it?'),
      postToolUse: () => {
        throw new TypeError('no');
      },
      onOutgoingMessage: () => MessageDecision.modify('plugh'),
    };
    const without = scene([]);
    const plain = await without.played;
    const { tool, model, played } = scene([shadow(trial)]);
    const one = await played;
    expect(tool.inputs).toEqual(without.tool.inputs);
    expect(model.requests).toEqual(without.model.requests);
    expect(await one.store.readMessages('t')).toEqual(await plain.store.readMessages('t'));
    expect(one.result).toMatchObject({ status: 'completed', text: 'done' });
    expect(await placesOf('xyzzy', one)).toEqual([]);
    expect(await placesOf('plugh', one)).toEqual([]);
    const recorded = (await one.store.readEvents('t')).filter(({ type }) =>
      type.startsWith('hook.'),
    );
    expect(recorded.map((event) => 'point' in event && event.point)).toEqual([
      'onUserMessage',
      'onLlmResponse',
      'preToolUse',
      'postToolUse',
      'onLlmResponse',
      'onOutgoingMessage',
    ]);
    expect(recorded).toMatchObject(recorded.map(() => ({ policy: 'trial', shadow: true })));
    await expectSound(one);
  });
});

describe('streams and threads', () => {
  test('a stream is not held for a policy on trial', async () => {
    const trial = defineHooks({ name: 'trial', onLlmResponse: () => ResponseDecision.block('no') });
    const deltasOf = async (hooks: readonly AgentHooks[]) => {
      const agent = createAgent({ name: 'a', model: scriptedModel(['hello there']), hooks });
      const shown: string[] = [];
      for await (const event of agent.stream({ message: 'hi' })) {
        if (event.type === 'llm.delta') shown.push(event.text);
      }
      return shown.join('');
    };
    expect(await deltasOf([trial])).toBe('');
    expect(await deltasOf([shadow(trial)])).toBe('hello there');
  });

  test('what a policy on trial remembers is there when it is enforced', async () => {
    const twice = defineHooks({
      name: 'twice',
      preLlmRequest(_request, { memory }) {
        memory.set('asked', Number(memory.get('asked') ?? 0) + 1);
      },
      onOutgoingMessage: (_message, { memory }) => MessageDecision.modify(`${memory.get('asked')}`),
    });
    const store = memoryStore();
    const turn = async (hooks: readonly AgentHooks[]) => {
      const agent = createAgent({ name: 'a', model: scriptedModel(['hi']), hooks, store });
      const result = await agent.run({ threadId: 't', message: 'hi' });
      return result.status === 'completed' ? result.text : result.status;
    };
    expect(await turn([shadow(twice)])).toBe('hi');
    expect(await turn([twice])).toBe('2');
  });
});
