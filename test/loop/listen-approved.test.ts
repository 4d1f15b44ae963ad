import {
  type JsonObject,
  type ListenContext,
  listenTool,
  type OperationUpdate,
  type RunResult,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { lockDesk, SECRET } from './lock-desk.ts';

type Desk = ReturnType<typeof lockDesk>;

const yes = (desk: Desk, result: RunResult, about: object = {}) => {
  const approvals = result.status === 'awaiting-approval' ? result.approvals : [];
  const answers = approvals.map(({ approvalId }) => ({ approvalId, approved: true, by: 'ann' }));
  return desk.agent.resume({ threadId: 't', answers, ...about });
};

/** A tool whose operation looks the same whoever it is for, with a note of what it was asked. */
function sending() {
  const log: string[] = [];
  const send = listenTool({
    name: 'send',
    description: 'Sends',
    inputSchema: z.object({ id: z.string(), euros: z.number() }),
    locked: { id: '{{session.id}}' },
    async *listen({ id }, ctx: ListenContext): AsyncGenerator<OperationUpdate> {
      log.push(`listen ${id}`);
      yield { type: 'ready', operationId: ctx.callId, revision: 1 };
    },
    execute: ({ input }) => {
      log.push(`send ${input.id}`);
      return 'sent';
    },
    cancel: ({ reason }) => void log.push(`cancel ${reason}`),
  });
  return { send, log };
}

describe('L12: a yes to what was prepared is for the locked values that it was prepared with', () => {
  async function resumedWith(session: JsonObject) {
    const { send, log } = sending();
    const script = [{ toolCalls: [{ name: 'send', input: { euros: 5 } }] }, 'done'];
    const desk = lockDesk({ script, tools: [send] });
    const asked = await desk.run({}, { session: { id: SECRET } });
    const { status } = await yes(desk, asked, { session });
    return { log, status, output: desk.outputs()[0] };
  }

  test('with the same it runs', async () => {
    const { log } = await resumedWith({ id: SECRET });
    expect(log).toEqual([`listen ${SECRET}`, `listen ${SECRET}`, `send ${SECRET}`]);
  });

  test('with others nothing is prepared again, and what was is cancelled', async () => {
    const { log, status, output } = await resumedWith({ id: 'other' });
    expect(log).toEqual([`listen ${SECRET}`, 'cancel refused']);
    expect(status).toBe('completed');
    expect(output).toBe(
      'Blocked: at resume: what the conversation fills into it has changed since it was approved',
    );
  });
});
