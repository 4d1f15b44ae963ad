import { toolSet } from 'agent-hooks/tools';
import { expect, test } from 'vitest';
import { hangUpTool, orderTool } from '../loop/result-desk.ts';

test('U-F8: whoever runs tools outside of an agent is told by the call that the conversation is over, and not by the name', async () => {
  const ends = async (more: object) =>
    (await toolSet([hangUpTool(more)]).run('hang_up', {})).endsConversation;
  expect(await ends({})).toBe(true);
  expect(await ends({ execute: () => ({ ok: false }) })).toBeUndefined();
  expect(await ends({ execute: () => Promise.reject(new Error('busy')) })).toBeUndefined();
  expect(await ends({ endsConversation: false })).toBeUndefined();
  expect(await toolSet([orderTool()]).run('find_order', {})).not.toHaveProperty('endsConversation');
});
