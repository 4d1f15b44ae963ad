import { setTimeout as sleep } from 'node:timers/promises';
import { type ChatStreamPart, defineHooks, WindowDecision } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { finish, piecesModel, streamModel, watch } from './window-desk.ts';

const shouting = defineHooks({
  name: 'shouting',
  async *wrapLlmCall(request, next) {
    for await (const part of next(request)) {
      yield part.type === 'text' ? { ...part, text: part.text.toUpperCase() } : part;
    }
  },
});

describe('window: below policies around the call', () => {
  test('what is judged and leaves is what they gave, not what the model gave', async () => {
    const seen: string[] = [];
    const look = defineHooks({
      name: 'look',
      onTextWindow: ({ text }) => void seen.push(text),
    });
    const { pieces, result } = await watch(piecesModel(['one ', 'two']), [shouting, look]);
    expect(seen).toEqual(['ONE ', 'TWO', '']);
    expect(pieces).toEqual(['ONE ', 'TWO']);
    expect(result).toMatchObject({ status: 'completed', text: 'ONE TWO' });
  });

  test('a Block ends the call at once, also while the model is silent', async () => {
    let signal: AbortSignal | undefined;
    const model = streamModel(async function* (options): AsyncGenerator<ChatStreamPart> {
      signal = options.signal;
      yield { type: 'text', text: 'xyzzy' };
      await sleep(2_000, undefined, { signal: options.signal, ref: false });
      yield finish;
    });
    const blocks = defineHooks({
      name: 'blocks',
      async onTextWindow() {
        await sleep(5);
        return WindowDecision.block('banned');
      },
    });
    const before = performance.now();
    const { result, pieces } = await watch(model, [shouting, blocks]);
    expect(result).toMatchObject({ status: 'blocked', point: 'onTextWindow' });
    expect(pieces).toEqual([]);
    expect(performance.now() - before).toBeLessThan(1_000);
    await sleep(5);
    expect(signal?.aborted).toBe(true);
  });
});
