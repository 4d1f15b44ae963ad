import { defineHooks, MessageDecision, memoryStore } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { callRead, desk, watched } from './desk.ts';

const redact = defineHooks({
  name: 'redact',
  onUserMessage: ({ text }) => MessageDecision.modify(text.replace('SECRET', '***')),
  onOutgoingMessage: ({ text }) => MessageDecision.modify(text.replace('SECRET', '***')),
});
const refuse = defineHooks({
  name: 'refuse',
  onUserMessage: ({ text }) =>
    text.includes('tell') ? MessageDecision.block('no telling') : undefined,
  onOutgoingMessage: ({ text }) =>
    text.includes('told') ? MessageDecision.block('no telling') : undefined,
});

describe('a text that a policy rewrote is written nowhere', () => {
  test('beside calls, the state that is stored while they run holds the calls only', async () => {
    const commits: string[] = [];
    const store = watched(memoryStore(), (changes) => commits.push(JSON.stringify(changes)));
    const script = [{ text: 'the SECRET', toolCalls: [callRead] }, 'done'];
    await desk({ script, store, hooks: [redact] }).agent.run({ threadId: 't', message: 'go' });
    expect(commits.some((commit) => commit.includes('the ***'))).toBe(true);
    expect(commits.filter((commit) => commit.includes('SECRET'))).toEqual([]);
  });

  test('the audit of a message that another policy then blocks holds it as it was rewritten', async () => {
    const { agent, store } = desk({ script: [], hooks: [redact, refuse] });
    await agent.run({ threadId: 't', message: 'tell SECRET' });
    const events = JSON.stringify(await store.readEvents('t'));
    expect(events).toContain('"text":"tell ***","discarded":true');
    expect(events).not.toContain('SECRET');
  });

  test('the audit of an answer that another policy then blocks holds it as it was rewritten', async () => {
    const { agent, store } = desk({ script: ['told SECRET'], hooks: [redact, refuse] });
    await agent.run({ threadId: 't', message: 'go' });
    const events = JSON.stringify(await store.readEvents('t'));
    expect(events).toContain('"text":"told ***"');
    expect(events).not.toContain('SECRET');
  });
});
