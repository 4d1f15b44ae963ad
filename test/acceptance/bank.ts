import * as z from 'zod';
import {
  type CancelledOperation,
  type ListenContext,
  listenTool,
  OperationError,
  type OperationUpdate,
  type ToolContext,
} from '../../src/index.ts';

/** What the bank knows of one operation. */
interface Deal {
  operationId: string;
  revision: number;
  euros: number;
  /** What it was asked for. */
  asked: number;
  status: 'open' | 'done' | 'cancelled';
  expiresAt?: number;
  note?: string;
}

/** What a test may have the tool do in its own way. */
export interface BankOptions {
  readonly tier?: 'auto' | 'confirm';
  readonly sideEffects?: 'idempotent' | 'once';
  readonly version?: string;
  readonly prepareTimeoutMs?: number;
  readonly maxUpdates?: number;
  readonly listen?: (
    input: { readonly euros: number },
    ctx: ListenContext,
  ) => AsyncIterable<OperationUpdate>;
  /** Before the money is sent. */
  readonly onExecute?: (ctx: ToolContext) => Promise<unknown>;
  /** When the bank has given the deal up. */
  readonly onCancel?: () => unknown;
}

/** A bank that quotes transfers, and outlives every process that asks it. */
export class Bank {
  readonly deals = new Map<string, Deal>();
  /** Everything that was done, in order. */
  readonly log: string[] = [];
  readonly cancelled: CancelledOperation[] = [];
  readonly #renamed = new Map<string, string>();
  listens = 0;

  /** The tool in front of it; `listen` may be another. */
  tool(options: BankOptions = {}) {
    const { onExecute, onCancel, ...rest } = options;
    return listenTool({
      name: 'transfer',
      description: 'Sends money',
      inputSchema: z.object({ euros: z.number() }),
      listen: ({ euros }, ctx: ListenContext) =>
        this.quote(euros, ctx.prepared?.operationId ?? ctx.callId),
      ...rest,
      execute: async ({ operationId, revision }, ctx: ToolContext) => {
        await onExecute?.(ctx);
        return this.#send(operationId, revision);
      },
      cancel: async (operation) => {
        this.#drop(operation);
        await onCancel?.();
      },
    });
  }

  #send(operationId: string, revision: number): string {
    const deal = this.deals.get(operationId);
    if (deal?.revision !== revision || deal.status === 'cancelled')
      throw new OperationError('operation-stale');
    this.log.push(`send ${deal.euros}`);
    if (deal.status === 'done') throw new Error('sent twice');
    deal.status = 'done';
    return `sent ${deal.euros}`;
  }

  #drop(operation: CancelledOperation): void {
    const deal = this.deals.get(operation.operationId);
    if (deal?.status === 'done') this.log.push('cancelled what was sent');
    else if (deal !== undefined) deal.status = 'cancelled';
    this.cancelled.push(operation);
  }

  /** Working on it, and then the deal as it is now. Another amount is another revision of it. */
  async *quote(euros: number, asked: string): AsyncGenerator<OperationUpdate> {
    this.listens += 1;
    const operationId = this.#renamed.get(asked) ?? asked;
    const known = this.deals.get(operationId);
    const deal = known ?? {
      operationId,
      revision: 1,
      euros,
      asked: euros,
      status: 'open' as const,
    };
    this.deals.set(operationId, deal);
    yield {
      type: 'progress',
      operationId: deal.operationId,
      revision: deal.revision,
      message: 'asking',
    };
    if (known === undefined) deal.revision = 2;
    if (deal.asked !== euros) this.revise(operationId, euros);
    deal.asked = euros;
    if (deal.status !== 'open') {
      yield { type: 'expired', operationId };
      return;
    }
    const { revision, expiresAt, note } = deal;
    yield {
      type: 'ready',
      operationId: deal.operationId,
      revision,
      snapshot: { euros: deal.euros, ...(note !== undefined && { note }) },
      ...(expiresAt !== undefined && { expiresAt }),
    };
  }

  revise(operationId: string, euros: number): void {
    const deal = this.deals.get(operationId);
    if (deal === undefined) throw new Error(`no deal '${operationId}'`);
    deal.euros = euros;
    deal.revision += 1;
  }

  /** Another deal takes the place of one. */
  rename(operationId: string, to: string): void {
    const deal = this.deals.get(operationId);
    if (deal === undefined) throw new Error(`no deal '${operationId}'`);
    this.deals.set(to, { ...deal, operationId: to });
    this.#renamed.set(operationId, to);
  }

  /** What nobody has carried out and nobody has given up. */
  get open(): readonly string[] {
    return [...this.deals.values()]
      .filter(({ status }) => status === 'open')
      .map(({ operationId }) => operationId);
  }
}

export const callTransfer = (euros = 5) => ({ name: 'transfer', input: { euros } });

/** A stream of updates as a tool without types may give it. */
export async function* updates(...given: readonly unknown[]): AsyncGenerator<OperationUpdate> {
  for (const each of given) {
    if (each instanceof Error) throw each;
    yield each as OperationUpdate;
  }
}
