import { expect, test } from 'vitest';
import { sleep } from '../acceptance/play.ts';
import { calls, order, orderTool, resultDesk } from './result-desk.ts';

test('U-K15: and over the calls of one batch, in their order', async () => {
  const say = ['One.', 'Two {{name}}.', 'Three.'];
  const results = [30, 5, 15, 1].map((ms) => () => sleep(ms).then(() => order));
  const scene = (state: object) => {
    const desk = resultDesk({
      script: [calls(...Array.from({ length: 4 }, () => 'find_order')), calls('find_order')],
      tools: [orderTool({ replies: [{ say }] }, () => results.at(called++ % 4)?.())],
    });
    let called = 0;
    const start = { threadId: 't', message: 'go', state };
    return { ...desk, run: () => desk.agent.run(start as { threadId: string; message: string }) };
  };
  const whole = scene({ name: 'Ada' });
  expect(await whole.run()).toMatchObject({ text: 'One.\nTwo Ada.\nThree.\nOne.' });
  expect(await whole.run()).toMatchObject({ text: 'Two Ada.' });
  expect((await whole.store.load('t'))?.state).toMatchObject({ lines: { 'find_order/0': 5 } });
  // What cannot be filled is passed over.
  expect(await scene({}).run()).toMatchObject({ text: 'One.\nThree.\nOne.\nThree.' });
});

test('U-D5, U-K15: lines before and after a call take turns beside each other', async () => {
  const lines: string[] = [];
  const desk = resultDesk({
    script: [calls('find_order', 'find_order'), calls('find_order'), calls('find_order')],
    tools: [orderTool({ announce: ['A.', 'B.', 'C.'], replies: [{ say: ['One.', 'Two.'] }] })],
    more: { onLine: ({ text }: { readonly text: string }) => void lines.push(text) } as object,
  });
  for (let turn = 0; turn < 3; turn += 1) await desk.run();
  expect(lines.join(' ')).toBe('A. B. One. Two. C. One. A. Two.');
  expect((await desk.store.load('t'))?.state).toMatchObject({
    lines: { 'find_order/announce': 4, 'find_order/0': 4 },
  });
});
