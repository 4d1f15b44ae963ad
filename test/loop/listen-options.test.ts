import {
  type CancelledOperation,
  type JsonValue,
  type ListenContext,
  listenTool,
  type OperationUpdate,
  type SpokenLine,
  StateError,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { customer, lockDesk, SECRET, storedText } from './lock-desk.ts';

type Input = { readonly customer_id: string; readonly euros: number };

/** A transfer that notes what it is asked, in the order of things. */
function transferDesk(more: object = {}) {
  const log: JsonValue[] = [];
  const cancelled: CancelledOperation[] = [];
  const transfer = listenTool({
    name: 'transfer',
    description: 'Sends money',
    inputSchema: z.object({ customer_id: z.string(), euros: z.number() }),
    tier: 'auto',
    locked: { customer_id: '{{customer.id}}' },
    async *listen(input: Input): AsyncGenerator<OperationUpdate> {
      log.push(['listen', input]);
      yield { type: 'ready', operationId: 'o', revision: 1, snapshot: { euros: input.euros } };
    },
    execute: ({ input, operationId }: { input: Input; operationId: string }) => {
      log.push(['execute', input, operationId]);
      return { sent: true };
    },
    cancel: (operation: CancelledOperation) => void cancelled.push(operation),
    ...more,
  } as never);
  const script = [
    { toolCalls: [{ name: 'transfer', input: { euros: 5, customer_id: 'evil' } }] },
    'done',
  ];
  const onLine = ({ text }: SpokenLine) => void log.push(['line', text]);
  const desk = lockDesk({ script, tools: [transfer], more: { onLine } });
  const answer = async () => {
    const [approval] = await desk.store.pendingApprovals({ threadId: 't' });
    const answers = [{ approvalId: approval?.approvalId ?? '', approved: true, by: 'ann' }];
    return desk.agent.resume({ threadId: 't', answers });
  };
  return { ...desk, log, cancelled, answer };
}
const whole = { customer_id: SECRET, euros: 5 };
const prepared = ['listen', whole];
const ran = ['execute', whole, 'o'];

describe('a tool that prepares an operation', () => {
  test('prepares and carries out with what is locked, of which nothing is kept', async () => {
    const desk = transferDesk({ tier: 'confirm' });
    const waiting = await desk.run();
    if (waiting.status !== 'awaiting-approval') throw new Error(waiting.status);
    expect(waiting.approvals).toMatchObject([
      { input: { euros: 5 }, prepared: { snapshot: { euros: 5 } } },
    ]);
    expect(await storedText(desk.store)).not.toContain(SECRET);
    expect((await desk.answer()).status).toBe('completed');
    expect(desk.log.at(0)).toEqual(prepared);
    expect(desk.log.at(-1)).toEqual(ran);
    expect(desk.cancelled).toEqual([]);
    expect(await storedText(desk.store)).not.toContain(SECRET);
    expect(JSON.stringify(desk.heard)).not.toContain(SECRET);
  });

  test('U-M2: prepares nothing while a locked value is not there', async () => {
    const desk = transferDesk();
    await desk.run({});
    expect([desk.log, desk.cancelled]).toEqual([[], []]);
    expect(desk.outputs()).toEqual([{ refused: expect.stringContaining('customer.id') }]);
  });

  test('U-L5: carries nothing out where its precheck has an outcome, and gives up what it prepared', async () => {
    const desk = transferDesk({ precheck: () => ({ sent: false }), announce: 'Sending.' });
    expect((await desk.run()).status).toBe('completed');
    expect(desk.outputs()).toEqual([{ sent: false }]);
    expect(desk.log).toEqual([prepared]);
    expect(desk.cancelled).toMatchObject([{ operationId: 'o' }]);
  });

  test('U-L7: nor is anybody asked then', async () => {
    const desk = transferDesk({ precheck: () => ({ sent: false }), tier: 'confirm' });
    expect((await desk.run()).status).toBe('completed');
    expect(desk.types()).not.toContain('approval.requested');
    expect(desk.log.filter((one) => (one as JsonValue[])[0] === 'execute')).toEqual([]);
    expect(desk.cancelled).toMatchObject([{ operationId: 'o' }]);
  });

  test('U-D7: has its line said when it is prepared, before it is carried out', async () => {
    const desk = transferDesk({ announce: 'Sending {{euros}}.' });
    await desk.run();
    expect(desk.log).toEqual([prepared, ['line', 'Sending 5.'], ran]);
  });

  test('U-D15: of a line that cannot be filled nothing is carried out, and the operation is given up', async () => {
    const desk = transferDesk({ announce: 'Sending for {{name}}.' });
    await desk.run({ customer });
    expect(desk.log).toEqual([prepared]);
    expect(desk.outputs()).toEqual([{ refused: expect.stringContaining('name') }]);
    expect(desk.cancelled).toMatchObject([{ operationId: 'o' }]);
  });
});

test('what prepares and gives up an operation reads the state, and writes nothing', async () => {
  const seen: unknown[] = [];
  const use = (where: string, { state }: ListenContext) => {
    seen.push(where, state.get('name' as never));
    try {
      (state as unknown as { set: (field: string, value: string) => void }).set('name', where);
    } catch (error) {
      seen.push(StateError.isInstance(error) && error.code);
    }
  };
  const send = listenTool({
    name: 'send',
    description: 'Sends',
    inputSchema: z.object({}),
    async *listen(_input, ctx: ListenContext): AsyncGenerator<OperationUpdate> {
      use('listen', ctx);
      yield { type: 'ready', operationId: 'o', revision: 1 };
    },
    execute: () => 'sent',
    cancel: (_operation, ctx) => use('cancel', ctx),
  });
  const desk = lockDesk({ script: [{ toolCalls: [{ name: 'send', input: {} }] }], tools: [send] });
  await desk.run({ name: 'Ann' });
  const result = await desk.agent.cancel('t');
  expect(seen).toEqual(['listen', 'Ann', 'late-write', 'cancel', 'Ann', 'late-write']);
  expect(result.state).toEqual({ customer: null, name: 'Ann' });
});
