import { defineHooks, hostTool, type JsonObject, toolResultsOf } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { lockDesk, SECRET } from './lock-desk.ts';
import { type StateCtx, stateTool } from './state-desk.ts';

const pick = hostTool({
  name: 'pick',
  description: 'Picks',
  inputSchema: z.object({ id: z.string(), order: z.string() }),
  tier: 'auto',
  locked: { id: '{{customer.id}}' },
});

const switchTo = (id: string) =>
  stateTool('switch', (ctx: StateCtx) => {
    const state = ctx.state as unknown as { set: (field: 'customer', value: object) => void };
    state.set('customer', { id, tags: [] });
    return {};
  });

describe('a call of the host beside one that changes what is filled into it', () => {
  async function beside(id: string, hooks: Parameters<typeof lockDesk>[0]['hooks'] = []) {
    const calls = [
      { name: 'pick', input: { order: 'A' } },
      { name: 'switch', input: {} },
    ];
    const script = [{ toolCalls: calls }, { toolCalls: calls.slice(0, 1) }, 'done'];
    const judged: JsonObject[] = [];
    const look = defineHooks({
      name: 'look',
      preToolUse: ({ toolName, effectiveInput }) =>
        void (toolName === 'pick' && judged.push(effectiveInput)),
    });
    const tools = [pick, switchTo(id)];
    const desk = lockDesk({ script, tools, hooks: [look as never, ...hooks] });
    const result = await desk.run();
    const handed = result.status === 'awaiting-tools' ? result.calls.map(({ input }) => input) : [];
    return { desk, judged, handed };
  }

  const around = defineHooks({ name: 'around', wrapToolUse: (call, next) => next(call) }) as never;

  test.each([
    ['', []],
    [', with a policy around it', [around]],
  ])('is not handed out with what nobody has judged%s', async (_with, hooks) => {
    const { desk, judged, handed } = await beside('other', hooks);
    const [first] = (desk.model.requests[1]?.messages ?? []).flatMap(toolResultsOf);
    expect(first).toMatchObject({
      outcome: 'invalid',
      output: { error: expect.stringContaining('has changed since the call was judged') },
    });
    // Made anew, it is judged with the new value, and handed out with that.
    expect(judged.map(({ id }) => id)).toEqual([SECRET, 'other']);
    expect(handed).toEqual([{ id: 'other', order: 'A' }]);
  });

  test('is handed out where it is what it was', async () => {
    const { judged, handed } = await beside(SECRET);
    expect(handed).toEqual(judged);
  });
});
