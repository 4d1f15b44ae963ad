import { Policy, releasable, type TextWindow, WindowDecision } from 'agent-hooks';
import { ask, assertAnswer, textWindow } from 'agent-hooks/testing';
import { describe, expect, test } from 'vitest';

class NoSecrets extends Policy {
  override onTextWindow(window: TextWindow) {
    const chars = releasable(window, { patterns: ['secret'] });
    return window.isFinal && chars < window.text.length
      ? WindowDecision.block('a secret')
      : WindowDecision.release(chars);
  }
}

class Eager extends Policy {
  override onTextWindow({ text }: TextWindow) {
    return WindowDecision.release(text.length + 1);
  }
}

class Holding extends Policy {
  override onTextWindow() {
    return WindowDecision.release(0);
  }
}

describe('ask — onTextWindow', () => {
  test('gives what the policy released, and what it blocked', async () => {
    const policy = ask(new NoSecrets());
    expect(await policy.onTextWindow(textWindow('a sec', { isFinal: false }))).toMatchObject({
      type: 'decided',
      decision: { type: 'release', chars: 2 },
    });
    assertAnswer(await policy.onTextWindow(textWindow('a secret')), 'block', 'a secret');
    expect(await policy.onTextWindow(textWindow('ret', { before: 'a sec' }))).toMatchObject({
      decision: { type: 'block' },
    });
  });

  test('calls a failure what an agent would: too much, and anything held at the end', async () => {
    expect(await ask(new Eager()).onTextWindow(textWindow('abc'))).toMatchObject({
      type: 'failed',
      kind: 'illegal',
    });
    expect(await ask(new Holding()).onTextWindow(textWindow('abc'))).toMatchObject({
      type: 'failed',
      kind: 'illegal',
    });
    expect(
      await ask(new Holding()).onTextWindow(textWindow('abc', { isFinal: false })),
    ).toMatchObject({ type: 'decided', decision: { chars: 0 } });
  });

  test('a window is frozen, and knows how much has left', () => {
    const window = textWindow('cd', { before: 'ab', isFinal: false });
    expect(window).toEqual({ text: 'cd', before: 'ab', released: 2, isFinal: false });
    expect(Object.isFrozen(window)).toBe(true);
  });
});
