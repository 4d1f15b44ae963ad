import {
  defineHooks,
  type JsonObject,
  type ListenContext,
  listenTool,
  type OperationUpdate,
  type RunResult,
  ToolDecision,
  tool,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { Bank, callTransfer } from '../acceptance/bank.ts';
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

describe('L12: what was approved beside an operation that is prepared anew', () => {
  /** A transfer that nobody has to approve, and a payment that somebody does; later judgements change their inputs. */
  async function judgedAnew(later: (toolName: string) => JsonObject | undefined) {
    const bank = new Bank();
    const paid: number[] = [];
    const pay = tool({
      name: 'pay',
      description: 'Pays',
      inputSchema: z.object({ euros: z.number() }),
      execute: ({ euros }) => paid.push(euros),
    });
    const seen = new Set<string>();
    const change = defineHooks({
      name: 'change',
      preToolUse: ({ toolName }) => {
        const isFirst = !seen.has(toolName);
        seen.add(toolName);
        const input = isFirst ? undefined : later(toolName);
        return input && ToolDecision.modify(input);
      },
    });
    const script = [{ toolCalls: [callTransfer(), { name: 'pay', input: { euros: 1 } }] }, 'done'];
    const tools = [bank.tool({ tier: 'auto' }), pay];
    const desk = lockDesk({ script, tools, hooks: [change as never] });
    await yes(desk, await desk.run({}));
    return { paid, sent: bank.log, outputs: desk.outputs() };
  }

  test('runs as it was approved', async () => {
    const { paid, sent } = await judgedAnew((name) =>
      name === 'transfer' ? { euros: 7 } : undefined,
    );
    expect({ paid, sent }).toEqual({ paid: [1], sent: ['send 7'] });
  });

  test('does not run when a policy changes it as well', async () => {
    const { paid, sent, outputs } = await judgedAnew((name) => ({
      euros: name === 'transfer' ? 7 : 700,
    }));
    expect({ paid, sent }).toEqual({ paid: [], sent: ['send 7'] });
    expect(outputs[1]).toContain('a policy changed the input after it was approved');
  });
});
