import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { type Release, Slots } from '../../src/internal/slots.ts';

const never = () => new AbortController().signal;

test('slots go to whoever has waited longest, and once each', async () => {
  const slots = new Slots(2);
  const order: number[] = [];
  const releases = await Promise.all([slots.take(never()), slots.take(never())]);
  expect(slots.takeFree()).toBeUndefined();
  const later = [1, 2, 3].map((n) =>
    slots.take(never()).then((release) => {
      order.push(n);
      return release;
    }),
  );
  releases[0]?.();
  releases[0]?.();
  releases[0]?.();
  await later[0];
  await Promise.resolve();
  expect(order).toEqual([1]);
  (await later[0])?.();
  await later[1];
  releases[1]?.();
  const rest = await Promise.all(later.slice(1));
  expect(order).toEqual([1, 2, 3]);
  expect(slots.takeFree()).toBeUndefined();
  for (const release of rest) release();
  expect([slots.takeFree(), slots.takeFree(), slots.takeFree()].map(Boolean)).toEqual([
    true,
    true,
    false,
  ]);
});

test('B87: who is gone leaves nothing behind a holder that never ends', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const slots = new Slots(1);
  const held = await slots.take(never());
  const wait = async (): Promise<WeakRef<object>> => {
    const controller = new AbortController();
    const reason = new Error('gone');
    const taken = slots.take(controller.signal).catch((error: unknown) => error === reason);
    controller.abort(reason);
    expect(await taken).toBe(true);
    return new WeakRef(reason);
  };
  const gone = await Promise.all(Array.from({ length: 20 }, wait));
  await new Promise((resolve) => setTimeout(resolve, 10));
  collect();
  expect(gone.filter((one) => one.deref() !== undefined).length).toBeLessThan(5);
  let next: Release | undefined;
  const leave = slots.wait((release) => {
    next = release;
  });
  leave();
  held();
  expect(next).toBeUndefined();
  expect(slots.takeFree()).toBeDefined();
});
