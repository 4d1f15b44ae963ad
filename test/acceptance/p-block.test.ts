import { describe, expect, test } from 'vitest';
import {
  createAgent,
  memoryStore,
  Policy,
  scriptedModel,
  ToolDecision,
  type ToolInvocation,
} from '../../src/index.ts';
import { echoCall, echoTool } from './echo.ts';
import { hear, ofType, outputs, types } from './evidence.ts';
import { MODES } from './modes.ts';

class DenySecret extends Policy {
  readonly results: string[] = [];

  override preToolUse({ effectiveInput }: ToolInvocation): ToolDecision | undefined {
    return effectiveInput['message'] === 'secret' ? ToolDecision.block('policy denied') : undefined;
  }

  override postToolUse({ effectiveInput }: ToolInvocation): undefined {
    this.results.push(String(effectiveInput['message']));
  }
}

class FailOnSecond extends Policy {
  override preToolUse({ batch }: ToolInvocation): undefined {
    if (batch.index === 1) throw new Error('broken');
  }
}

/** Wants a person for the first call, so that an approval would be open when the second one fails. */
class AskForFirst extends Policy {
  override readonly name = 'ask-for-first';

  override preToolUse({ batch }: ToolInvocation): ToolDecision | undefined {
    return batch.index === 0 ? ToolDecision.requiresConfirmation('May it?') : undefined;
  }
}

describe.each(MODES)('a blocked tool call ($name)', ({ turn }) => {
  const setUp = (hooks: readonly Policy[]) => {
    const toolCalls = [echoCall('secret'), echoCall('open')];
    const model = scriptedModel([{ toolCalls }, 'done']);
    const store = memoryStore();
    const { tool, ran } = echoTool();
    const agent = createAgent({ name: 'a', model, store, hooks, tools: [tool] });
    return { agent, model, store, ran, heard: hear(agent) };
  };
  const input = { threadId: 't', message: 'go' };

  test('P13: is answered with the reason and told as refused, and the run goes on without it', async () => {
    const policy = new DenySecret();
    const { agent, model, ran, heard } = setUp([policy]);
    const result = await turn(agent, input);
    expect(result).toMatchObject({ status: 'completed', text: 'done' });
    expect(ran).toEqual(['open']);
    expect(outputs(result.messages)).toEqual(['Blocked: policy denied', 'Echo: open']);
    expect(outputs(model.requests[1]?.messages ?? [])).toEqual(outputs(result.messages));
    expect(ofType(heard, 'tool.refused')).toMatchObject([
      { callId: '1.1.0', outcome: 'blocked', by: 'DenySecret', reason: 'policy denied' },
    ]);
    expect(policy.results).toEqual(['open']);
  });

  test('P13 twin: without the policy both run', async () => {
    const { agent, ran, heard } = setUp([]);
    expect(await turn(agent, input)).toMatchObject({ status: 'completed' });
    expect(ran).toEqual(['secret', 'open']);
    expect(types(heard)).not.toContain('tool.refused');
  });

  test('P13: a policy that fails stops the whole batch, and no approval is recorded that nobody saw', async () => {
    const { agent, store, ran, heard } = setUp([new AskForFirst(), new FailOnSecond()]);
    const result = await turn(agent, input);
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'hook-failed', policy: 'FailOnSecond', point: 'preToolUse', kind: 'threw' },
    });
    expect(ran).toEqual([]);
    expect(outputs(result.messages)).toEqual([
      'Not executed: a policy failed',
      'Not executed: a policy failed',
    ]);
    expect(ofType(heard, 'tool.refused').map(({ outcome }) => outcome)).toEqual([
      'not-executed',
      'not-executed',
    ]);
    expect(types(heard)).not.toContain('approval.requested');
    expect(await store.pendingApprovals({ threadId: 't' })).toEqual([]);
  });

  test('P13 twin: when it does not fail, the approval is asked for', async () => {
    const { agent } = setUp([new AskForFirst()]);
    expect(await turn(agent, input)).toMatchObject({ status: 'awaiting-approval' });
  });
});
