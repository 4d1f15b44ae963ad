import { createAgent, type SpokenLine, scriptedModel, type ToolContext } from 'agent-hooks';
import { describe, expect, test, vi } from 'vitest';
import { latch } from '../acceptance/latch.ts';
import { sleep } from '../acceptance/play.ts';
import { announceDesk, look, lookTool } from './announce-desk.ts';
import { hangUpTool, orderTool, resultDesk } from './result-desk.ts';

const waits = { announceWait: true };
const never = () => new Promise<void>(() => undefined);
const ended = (desk: ReturnType<typeof announceDesk>) =>
  desk.heard.find(({ type }) => type === 'tool.succeeded' || type === 'tool.failed') as {
    durationMs: number;
    outcome?: string;
  };

describe('what the host does with a line', () => {
  test('U-D9: nothing waits for it', async () => {
    const desk = announceDesk({ onLine: never });
    expect((await desk.run()).status).toBe('completed');
    expect(desk.log).toEqual(['Checking.', 'ran']);
  });

  test('U-D10, U-T10: a tool that waits runs once it is shown, and that is not time of the tool', async () => {
    const { whenOpen, open } = latch();
    const desk = announceDesk({ tool: { ...waits, timeoutMs: 60 }, onLine: () => whenOpen });
    const running = desk.run();
    await expect.poll(() => desk.log).toEqual(['Checking.']);
    await sleep(120);
    expect(desk.log).toEqual(['Checking.']);
    open();
    expect((await running).status).toBe('completed');
    expect(desk.log).toEqual(['Checking.', 'ran']);
    expect(ended(desk).durationMs).toBeLessThan(100);
  });

  test('U-D11: up to a limit', async () => {
    const desk = announceDesk({ tool: waits, onLine: never, more: { lineWaitMs: 40 } });
    const since = performance.now();
    expect((await desk.run()).status).toBe('completed');
    expect(performance.now() - since).toBeGreaterThan(35);
    expect(desk.log).toEqual(['Checking.', 'ran']);
  });

  test('U-D11: of 30 seconds, unless the agent says otherwise', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const desk = announceDesk({ tool: waits, onLine: never });
      const running = desk.run();
      await vi.advanceTimersByTimeAsync(29_999);
      expect(desk.log).toEqual(['Checking.']);
      await vi.advanceTimersByTimeAsync(1);
      await running;
      expect(desk.log).toEqual(['Checking.', 'ran']);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test.each(['none', 'once'] as const)(
    'a cancel ends the wait, and a tool that is %s has not run',
    async (sideEffects) => {
      const abort = new AbortController();
      const desk = announceDesk({
        tool: { ...waits, sideEffects, tier: 'auto' },
        onLine: () => {
          setTimeout(() => abort.abort(), 5);
          return never();
        },
      });
      expect((await desk.run({ signal: abort.signal })).status).toBe('cancelled');
      expect(desk.log).toEqual(['Checking.']);
      expect(ended(desk)).toMatchObject({ outcome: 'cancelled' });
      expect(desk.about('tool.')).toEqual(['tool.called', 'tool.started', 'tool.failed']);
    },
  );

  test('U-D12: a message that comes meanwhile waits for its turn, and one that comes later interrupts', async () => {
    const shown = latch();
    const desk = announceDesk({
      tool: {
        ...waits,
        execute: (_: object, { signal }: ToolContext) => {
          desk.log.push('ran');
          return new Promise((resolve) => signal.addEventListener('abort', () => resolve('cut')));
        },
      },
      script: [look({}), 'Two.', 'Three.'],
      onLine: () => shown.whenOpen,
      more: { onBusy: 'interrupt' },
    });
    const first = desk.run();
    await expect.poll(() => desk.log).toEqual(['Checking.']);
    const second = desk.run();
    await sleep(20);
    expect(desk.log).toEqual(['Checking.']);
    shown.open();
    await expect.poll(() => desk.log).toEqual(['Checking.', 'ran']);
    const third = desk.run();
    expect((await first).status).toBe('cancelled');
    expect((await third).status).toBe('completed');
    await second;
  });

  test.each([
    [
      'throws',
      () => {
        throw new TypeError('secret');
      },
    ],
    ['rejects', () => Promise.reject(new TypeError('secret'))],
  ])('U-D20: one that %s changes nothing, and is told of', async (_, onLine) => {
    const desk = announceDesk({ tool: waits, onLine });
    expect((await desk.run()).status).toBe('completed');
    expect(desk.log).toEqual(['Checking.', 'ran']);
    const raised = desk.heard.filter(({ type }) => type === 'error.raised');
    expect(raised).toMatchObject([
      {
        code: 'line-failed',
        name: 'TypeError',
        details: { kind: 'announce', callId: '1.1.0', toolName: 'look' },
      },
    ]);
    expect(JSON.stringify(raised)).not.toContain('secret');
  });

  test('U-D20: is told of in a warning where nobody hears events', async () => {
    const warned: unknown[] = [];
    const hear = (warning: Error) => warned.push([warning.message, Reflect.get(warning, 'code')]);
    process.on('warning', hear);
    try {
      const agent = createAgent({
        name: 'desk',
        model: scriptedModel([look({}), 'Done.']),
        tools: [lookTool([])],
        onLine: () => Promise.reject(new TypeError('secret')),
      });
      await agent.run({ message: 'go' });
      await expect
        .poll(() => warned)
        .toEqual([
          ["`onLine` failed with TypeError on a line of kind 'announce'", 'AGENT_HOOKS_LINE'],
        ]);
    } finally {
      process.off('warning', hear);
    }
  });
});

describe('lines that code says after a call', () => {
  const desk = (more: object, tools: object[]) => {
    const lines: SpokenLine[] = [];
    const told = resultDesk({
      script: [{ toolCalls: [{ name: String(Reflect.get(tools[0] ?? {}, 'name')), input: {} }] }],
      tools: tools as never,
      more: { onLine: (line: SpokenLine) => void lines.push(line), ...more },
    });
    return { ...told, lines };
  };

  test('a reply comes to the host once it is stored', async () => {
    const { run, lines } = desk({}, [orderTool({ replies: [{ say: 'On hold.' }] })]);
    await run();
    expect(lines).toMatchObject([{ kind: 'reply', text: 'On hold.', toolName: 'find_order' }]);
  });

  test('and so does a goodbye', async () => {
    const { run, lines } = desk({}, [hangUpTool({ goodbye: 'Bye!' })]);
    await run();
    expect(lines).toMatchObject([{ kind: 'goodbye', text: 'Bye!', toolName: 'hang_up' }]);
  });
});
