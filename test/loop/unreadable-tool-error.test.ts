import { setTimeout as sleep } from 'node:timers/promises';
import { createAgent, scriptedModel, tool } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { callPay } from './desk.ts';

const trap = (): never => {
  throw new Error('a trap');
};
const THROWN: readonly (readonly [string, unknown])[] = [
  ['an error whose message is no text', Object.assign(new Error('x'), { message: { code: 1 } })],
  [
    'an error whose message cannot be read',
    Object.defineProperty(new Error('x'), 'message', { get: trap }),
  ],
  ['an object that cannot be looked at', new Proxy({}, { getPrototypeOf: trap, has: trap })],
];

describe('a call ends as failed whatever its tool throws', () => {
  for (const [name, thrown] of THROWN) {
    for (const way of ['throws', 'rejects with'] as const) {
      test(`a tool that ${way} ${name}`, async () => {
        const pay = tool({
          name: 'pay',
          description: 'Pays',
          inputSchema: z.object({ euros: z.number() }),
          tier: 'auto',
          execute: () => {
            if (way === 'throws') throw thrown;
            return Promise.reject(thrown);
          },
        });
        const model = scriptedModel([{ toolCalls: [callPay(5)] }, 'done']);
        const agent = createAgent({ name: 'a', model, tools: [pay] });
        const result = await Promise.race([agent.run({ message: 'go' }), sleep(500, undefined)]);
        expect(result).toMatchObject({
          status: 'completed',
          messages: [{}, {}, { content: [{ outcome: 'failed', isError: true }] }, {}],
        });
      });
    }
  }
});
