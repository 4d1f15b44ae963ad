import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import {
  createAgent,
  Policy,
  scriptedModel,
  ToolDecision,
  type ToolInvocation,
  type ToolPort,
  tool,
} from '../../src/index.ts';
import { echoCall, echoTool } from './echo.ts';
import { MODES } from './modes.ts';

class AllowEverything extends Policy {
  override preToolUse(): ToolDecision {
    return ToolDecision.allow();
  }
}

class Witness extends Policy {
  readonly seen: ToolInvocation[] = [];

  override preToolUse(invocation: ToolInvocation): undefined {
    this.seen.push(invocation);
  }
}

function agentWith(one: ToolPort, hooks: readonly Policy[] = []) {
  const model = scriptedModel([{ toolCalls: [echoCall('hi', one.name)] }, 'done']);
  return createAgent({ name: 'a', model, tools: [one], hooks });
}

describe.each(MODES)('the tier of a tool ($name)', ({ turn }) => {
  const input = { threadId: 't', message: 'go' };

  test("H22: a 'confirm' tool waits for a person when no policy speaks", async () => {
    const { tool: echo, ran } = echoTool({ tier: 'confirm' });
    expect(await turn(agentWith(echo), input)).toMatchObject({
      status: 'awaiting-approval',
      approvals: [{ toolName: 'echo', requirements: [{ policy: 'tier', prompt: "Run 'Echo'?" }] }],
    });
    expect(ran).toEqual([]);
  });

  test('H22 twin: with a policy that allows it, it runs at once', async () => {
    const { tool: echo, ran } = echoTool({ tier: 'confirm' });
    const agent = agentWith(echo, [new AllowEverything()]);
    expect(await turn(agent, input)).toMatchObject({ status: 'completed' });
    expect(ran).toEqual(['hi']);
  });

  test('H22: a policy that only watches opens nothing', async () => {
    const { tool: echo, ran } = echoTool({ tier: 'confirm' });
    const agent = agentWith(echo, [new Witness()]);
    expect(await turn(agent, input)).toMatchObject({ status: 'awaiting-approval' });
    expect(ran).toEqual([]);
  });

  test("H23: an 'auto' tool runs when no policy speaks", async () => {
    const { tool: echo, ran } = echoTool({ tier: 'auto' });
    expect(await turn(agentWith(echo), input)).toMatchObject({ status: 'completed', text: 'done' });
    expect(ran).toEqual(['hi']);
  });

  test('H24: a tool that says nothing of itself waits too, and the approval says how to declare it (our rule)', async () => {
    const ran: string[] = [];
    const silent = tool({
      name: 'silent',
      description: 'Says nothing of itself',
      inputSchema: z.object({ message: z.string() }),
      execute: ({ message }) => {
        ran.push(message);
        return 'ok';
      },
    });
    const result = await turn(agentWith(silent), input);
    if (result.status !== 'awaiting-approval') expect.unreachable();
    expect(result.approvals[0]?.requirements[0]?.prompt).toContain("sideEffects: 'none'");
    expect(ran).toEqual([]);
  });

  test('H25: a policy sees one invocation, with the names, the tier and both inputs', async () => {
    const { tool: echo } = echoTool();
    const witness = new Witness();
    await turn(agentWith(echo, [witness]), input);
    expect(witness.seen).toEqual([
      {
        callId: '1.1.0',
        providerCallId: 'call_1',
        toolName: 'echo',
        displayName: 'Echo',
        tier: 'auto',
        sideEffects: 'none',
        requestedInput: { message: 'hi' },
        effectiveInput: { message: 'hi' },
        batch: { index: 0, size: 1 },
      },
    ]);
    expect(Object.isFrozen(witness.seen[0]?.effectiveInput)).toBe(true);
  });
});
