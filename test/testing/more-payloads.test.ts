import { describe, expect, test } from 'vitest';
import { ErrorDecision } from '../../src/decisions/error-decision.ts';
import { AgentHooksError } from '../../src/errors/base.ts';
import { EVENT_TYPES } from '../../src/events/pattern.ts';
import type { HookContext } from '../../src/hooks/context.ts';
import { Policy } from '../../src/hooks/policy.ts';
import type { PromptInfo } from '../../src/protocol/texts.ts';
import {
  agentEvent,
  ask,
  hookContext,
  hookError,
  modelError,
  promptInfo,
  toolCallError,
  user,
} from '../../src/testing/index.ts';

describe('agentEvent', () => {
  test.each(EVENT_TYPES)('%s has its stamp, and is frozen', (type) => {
    const event = agentEvent(type);
    expect(event).toMatchObject({ type, threadId: 'thread', turnId: 'this-turn', step: 1 });
    expect(Object.isFrozen(event)).toBe(true);
  });

  test('what a test says stands over the defaults, the stamp included', () => {
    const event = agentEvent('tool.failed', { toolName: 'pay', seq: 7, outcome: 'cancelled' });
    expect(event).toMatchObject({ toolName: 'pay', seq: 7, outcome: 'cancelled', durationMs: 1 });
  });

  test('a watching policy is called with it', () => {
    const heard: string[] = [];
    class Watch extends Policy {
      override onEvent(event: { readonly type: string }, ctx: HookContext): void {
        heard.push(`${event.type} on ${ctx.threadId}`);
      }
    }
    new Watch().onEvent(agentEvent('thread.ended'), hookContext({ threadId: 'ann' }));
    expect(heard).toEqual(['thread.ended on ann']);
  });
});

describe('hookContext', () => {
  test('shows what the test says and keeps what is written', () => {
    const ctx = hookContext<{ readonly role: string }>({
      context: { role: 'clerk' },
      messages: [user('hi')],
      memory: { seen: 1 },
      recheck: true,
    });
    expect([ctx.context.role, ctx.messages.length, ctx.recheck]).toEqual(['clerk', 1, true]);
    ctx.memory.set('seen', 2);
    expect(ctx.memory.get('seen')).toBe(2);
    expect(ctx.signal.aborted).toBe(false);
  });

  test('cannot be written to', () => {
    expect(() => Object.assign(hookContext(), { threadId: 'other' })).toThrow(TypeError);
  });
});

describe('errors', () => {
  test('are of their own class, with what a test says', () => {
    expect(modelError()).toMatchObject({ code: 'overloaded', retryable: true });
    expect(modelError('auth-failed', { statusCode: 401 })).toMatchObject({
      code: 'auth-failed',
      retryable: false,
      statusCode: 401,
    });
    expect(toolCallError({ toolName: 'pay' })).toMatchObject({ toolName: 'pay' });
    expect(hookError({ kind: 'timed-out' })).toMatchObject({ kind: 'timed-out', policy: 'policy' });
  });

  test('are what a policy is asked about', async () => {
    const onError = (error: AgentHooksError) =>
      AgentHooksError.isInstance(error) && error.code === 'overloaded'
        ? ErrorDecision.recover()
        : undefined;
    const asker = ask({ name: 'again', onError });
    expect(await asker.onError(modelError())).toMatchObject({ decision: { type: 'recover' } });
    expect(await asker.onError(toolCallError())).toMatchObject({ type: 'no-opinion' });
  });
});

test('promptInfo is what `systemPrompt` is told', () => {
  const seen: PromptInfo[] = [];
  new (class extends Policy {
    override systemPrompt(_prompt: string, info: PromptInfo): undefined {
      seen.push(info);
    }
  })().systemPrompt('', promptInfo({ site: 'judge' }));
  const told = {
    site: 'judge',
    model: 'scripted',
    threadId: 'thread',
    turnId: 'this-turn',
    step: 1,
  };
  expect(seen).toEqual([told]);
});
