import { describe, expect, test } from 'vitest';
import {
  type AgentHooks,
  type ApprovalAnswer,
  createAgent,
  memoryStore,
  Policy,
  type RunResult,
  scriptedModel,
  ToolDecision,
  type ToolInvocation,
  type ToolResult,
  type ToolTier,
} from '../../src/index.ts';
import { AskFirst } from './ask-first.ts';
import { echoCall, echoTool } from './echo.ts';
import { hear, ofType, outputs } from './evidence.ts';

/** Asks a person, and says something else once a person has answered. */
class AskThen extends Policy {
  override readonly name = 'ask-then';
  readonly #later: ToolDecision | undefined;

  constructor(later: ToolDecision | undefined) {
    super();
    this.#later = later;
  }

  override preToolUse({ approval }: ToolInvocation): ToolDecision | undefined {
    return approval === undefined ? ToolDecision.requiresConfirmation('May it?') : this.#later;
  }
}

/** Has nothing to say until a person has answered someone else. */
class AskLater extends Policy {
  override readonly name = 'ask-later';

  override preToolUse({ approval }: ToolInvocation): ToolDecision | undefined {
    return approval === undefined ? undefined : ToolDecision.requiresConfirmation('Really?');
  }
}

async function paused(hooks: readonly AgentHooks[], tier: ToolTier = 'auto') {
  const model = scriptedModel([{ toolCalls: [echoCall('hi')] }, 'done']);
  const { tool, ran } = echoTool({ tier });
  const agent = createAgent({ name: 'a', model, store: memoryStore(), hooks, tools: [tool] });
  const heard = hear(agent);
  const result = await agent.run({ threadId: 't', message: 'go' });
  const answer = (given: RunResult, more: Partial<ApprovalAnswer> = {}): Promise<RunResult> => {
    if (given.status !== 'awaiting-approval') expect.unreachable();
    const answers = given.approvals.map(({ approvalId }) => {
      return { approvalId, approved: true, by: 'ann', ...more };
    });
    return agent.resume({ threadId: 't', answers });
  };
  return { agent, model, ran, heard, result, answer };
}

function askedBy(result: RunResult): readonly string[] {
  if (result.status !== 'awaiting-approval') expect.unreachable();
  return result.approvals.flatMap(({ requirements }) => requirements.map(({ policy }) => policy));
}

describe('a policy that is asked again after the approval', () => {
  test('P03: its Block wins over the approval, and the model reads why', async () => {
    const { ran, heard, result, answer } = await paused([
      new AskThen(ToolDecision.block('policy changed')),
    ]);
    const resumed = await answer(result);
    expect(resumed).toMatchObject({ status: 'completed', text: 'done' });
    expect(ran).toEqual([]);
    expect(outputs(resumed.messages)).toEqual(['Blocked: at resume: policy changed']);
    expect(ofType(heard, 'tool.refused')).toMatchObject([{ outcome: 'blocked', by: 'ask-then' }]);
  });

  test.each<[string, ToolDecision | undefined]>([
    ['Allow', ToolDecision.allow()],
    ['no opinion', undefined],
    ['the same wish as before', ToolDecision.requiresConfirmation('May it?')],
  ])('P03 twin: with %s the approved call runs', async (_case, later) => {
    const { ran, result, answer } = await paused([new AskThen(later)]);
    expect(await answer(result)).toMatchObject({ status: 'completed' });
    expect(ran).toEqual(['hi']);
  });

  test('P03: a retry is not what was approved, so the call is blocked', async () => {
    const { ran, model, result, answer } = await paused([
      new AskThen(ToolDecision.retryWithFeedback('other words')),
    ]);
    expect(await answer(result)).toMatchObject({ status: 'completed' });
    expect(ran).toEqual([]);
    expect(model.calls).toBe(2);
  });

  test('P03: a rewrite is not what was approved, so the call is blocked', async () => {
    const { ran, result, answer } = await paused([
      new AskThen(ToolDecision.modify({ message: 'other' })),
    ]);
    const resumed = await answer(result);
    expect(ran).toEqual([]);
    expect(outputs(resumed.messages)).toEqual([
      'Blocked: at resume: a policy changed the input after it was approved',
    ]);
  });

  test("P03: a 'confirm' tool that a person approved for a policy needs no second look for its tier", async () => {
    const { ran, result, answer } = await paused([new AskThen(undefined)], 'confirm');
    expect(await answer(result)).toMatchObject({ status: 'completed' });
    expect(ran).toEqual(['hi']);
  });

  test('P03: a policy that first asks now waits for an answer of its own', async () => {
    const { ran, result, answer } = await paused([new AskThen(undefined), new AskLater()]);
    const second = await answer(result);
    expect(askedBy(second)).toEqual(['ask-later']);
    expect(ran).toEqual([]);
    expect(await answer(second)).toMatchObject({ status: 'completed' });
    expect(ran).toEqual(['hi']);
  });

  test('P03: answers add up, so that two policies that always ask are each answered once', async () => {
    const { ran, result, answer } = await paused([new AskFirst(), new AskLater()]);
    expect(askedBy(result)).toEqual(['ask-first']);
    const second = await answer(result);
    expect(askedBy(second)).toEqual(['ask-later']);
    expect(await answer(second)).toMatchObject({ status: 'completed' });
    expect(ran).toEqual(['hi']);
  });

  test('P03: an edit at a later answer is shown again to those who approved the input before it', async () => {
    const { ran, result, answer } = await paused([new AskFirst(), new AskLater()]);
    const second = await answer(result);
    const third = await answer(second, { input: { message: 'edited' } });
    expect(askedBy(third)).toEqual(['ask-first']);
    expect(await answer(third)).toMatchObject({ status: 'completed' });
    expect(ran).toEqual(['edited']);
  });

  test('P03: an edited input is judged as what it is', async () => {
    class BlockEdited extends Policy {
      override preToolUse({ effectiveInput }: ToolInvocation): ToolDecision | undefined {
        return effectiveInput['message'] === 'worse' ? ToolDecision.block('no') : undefined;
      }
    }
    const { ran, result, answer } = await paused([new AskFirst(), new BlockEdited()]);
    const resumed = await answer(result, { input: { message: 'worse' } });
    expect(ran).toEqual([]);
    expect(outputs(resumed.messages)).toEqual(['Blocked: at resume: no']);
  });

  test('M-111, M-112: what a policy made of the call is what a person sees, and what runs after the answer', async () => {
    const seen: unknown[] = [];
    class Louder extends Policy {
      override preToolUse({ requestedInput, effectiveInput }: ToolInvocation): ToolDecision {
        seen.push([requestedInput['message'], effectiveInput['message']]);
        return ToolDecision.modify({ message: String(effectiveInput['message']).toUpperCase() });
      }
    }
    const { ran, result, answer } = await paused([new Louder(), new AskFirst()]);
    expect(result).toMatchObject({ approvals: [{ input: { message: 'HI' } }] });
    expect(await answer(result)).toMatchObject({ status: 'completed' });
    expect(ran).toEqual(['HI']);
    // Asked again at resume, about what was approved.
    expect(seen).toEqual([
      ['hi', 'hi'],
      ['hi', 'HI'],
    ]);
  });

  test('X29: a call that was not approved, or is blocked at resume, is no result to look at', async () => {
    const looked: string[] = [];
    class Look extends Policy {
      override postToolUse(_call: ToolInvocation, { outcome }: ToolResult): undefined {
        looked.push(outcome);
      }
    }
    const denied = await paused([new AskFirst(), new Look()]);
    const refused = await denied.answer(denied.result, { approved: false });
    expect(outputs(refused.messages)).toEqual(['Not approved: ann said no']);
    const blocked = await paused([new AskThen(ToolDecision.block('no')), new Look()]);
    await blocked.answer(blocked.result);
    expect(looked).toEqual([]);
    const twin = await paused([new AskFirst(), new Look()]);
    await twin.answer(twin.result);
    expect(looked).toEqual(['succeeded']);
  });
});
