import { compose, defineHooks, forTools, parallel, shadow, ToolDecision, when } from 'agent-hooks';
import { ask, toolInvocation } from 'agent-hooks/testing';
import { describe, expect, test } from 'vitest';

const blocks = defineHooks({ name: 'blocks', preToolUse: () => ToolDecision.block('no') });
const call = toolInvocation('refund', {});

describe('ask — combined policies', () => {
  test('one policy is asked as its limits say', async () => {
    expect(await ask(forTools(['refund'], blocks)).preToolUse(call)).toMatchObject({
      type: 'decided',
      policy: 'blocks',
    });
    expect(await ask(forTools(['other'], blocks)).preToolUse(call)).toMatchObject({
      type: 'no-opinion',
    });
    expect(await ask(when(() => false, blocks)).preToolUse(call)).toMatchObject({
      type: 'no-opinion',
    });
  });

  test('of a policy on trial it tells what the policy says', async () => {
    expect(await ask(shadow(blocks)).preToolUse(call)).toMatchObject({
      type: 'decided',
      decision: { type: 'block' },
    });
  });

  test('a group of one is that one, and a group of several is refused', async () => {
    expect(await ask(compose('g', blocks)).preToolUse(call)).toMatchObject({ policy: 'g/blocks' });
    const other = defineHooks({ name: 'other', preToolUse: () => undefined });
    for (const group of [compose(blocks, other), parallel(blocks, other)]) {
      expect(() => ask(group)).toThrow(expect.objectContaining({ code: 'invalid-input' }));
    }
  });
});
