import { describe, expect, test } from 'vitest';
import { all, Later, after as makeOf, whenThere } from '../../src/internal/later.ts';

const fault = new Error('broken');

/** What a taker was called with, in order. */
function taken<Value>(later: Later<Value>): unknown[] {
  const told: unknown[] = [];
  later.whenOver(
    (value) => told.push(value),
    (error) => told.push({ error }),
  );
  return told;
}

describe('a value that comes later', () => {
  test('is given in the very moment it is there', () => {
    const later = new Later<number>();
    const told = taken(later);
    expect(told).toEqual([]);
    later.resolve(1);
    expect(told).toEqual([1]);
  });

  test('is given at once where it is there already, a failure too', () => {
    const later = new Later<number>();
    later.resolve(1);
    expect(taken(later)).toEqual([1]);
    const failed = new Later<number>();
    failed.reject(fault);
    expect(taken(failed)).toEqual([{ error: fault }]);
  });

  test('comes once', () => {
    const later = new Later<number>();
    const told = taken(later);
    later.resolve(1);
    later.resolve(2);
    later.reject(fault);
    expect(told).toEqual([1]);
  });

  test('may be undefined', () => {
    const later = new Later<undefined>();
    const told = taken(later);
    later.resolve(undefined);
    expect(told).toEqual([undefined]);
  });

  test('takes over what it is resolved with, a promise or another', async () => {
    const [later, other] = [new Later<number>(), new Later<number>()];
    const told = taken(later);
    later.resolve(other);
    other.resolve(1);
    expect(told).toEqual([1]);
    await expect(resolvedWith(Promise.resolve(2))).resolves.toBe(2);
    await expect(resolvedWith(Promise.reject(fault))).rejects.toBe(fault);
  });

  test('is a thenable for whoever awaits it, before and after', async () => {
    const later = new Later<number>();
    const awaited = (async () => (await later) + 1)();
    later.resolve(1);
    expect(await awaited).toBe(2);
    expect(await resolvedWith(3)).toBe(3);
    const failed = new Later<number>();
    failed.reject(fault);
    await expect(failed).rejects.toBe(fault);
  });
});

function resolvedWith(value: number | Promise<number>): Later<number> {
  const later = new Later<number>();
  later.resolve(value);
  return later;
}

describe('what is made of it', () => {
  test('is there at the same moment, through any number of steps', () => {
    const later = new Later<number>();
    const told = taken(later.map((n) => n + 1).map((n) => `${n}`));
    later.resolve(1);
    expect(told).toEqual(['2']);
  });

  test('fails with what the making throws, and with the value', () => {
    const later = new Later<number>();
    const told = taken(
      later.map(() => {
        throw fault;
      }),
    );
    later.resolve(1);
    expect(told).toEqual([{ error: fault }]);
    const failed = new Later<number>();
    const passedOn = taken(failed.map((n) => n + 1).map((n) => n + 1));
    failed.reject(fault);
    expect(passedOn).toEqual([{ error: fault }]);
  });

  test('may itself come later', async () => {
    const later = new Later<number>();
    const made = later.map((n) => Promise.resolve(n + 1));
    later.resolve(1);
    expect(await made).toBe(2);
  });

  test('is made at once of what is there', async () => {
    expect(makeOf(1, (n) => n + 1)).toBe(2);
    expect(await makeOf(Promise.resolve(1), (n) => n + 1)).toBe(2);
    expect(taken(makeOf(resolvedWith(1), (n) => n + 1) as Later<number>)).toEqual([2]);
  });
});

describe('several', () => {
  test('are there when the last is, in their order', () => {
    const [first, second] = [new Later<number>(), new Later<number>()];
    const told = taken(all([first, 2, second]) as Later<readonly number[]>);
    second.resolve(3);
    expect(told).toEqual([]);
    first.resolve(1);
    expect(told).toEqual([[1, 2, 3]]);
  });

  test('are there at once where all are', () => {
    expect(all([1, 2])).toEqual([1, 2]);
    expect(all([])).toEqual([]);
  });

  test('wait for the rest where one is over before it is asked for', () => {
    const open = new Later<number>();
    const told = taken(all([resolvedWith(1), open]) as Later<readonly number[]>);
    expect(told).toEqual([]);
    open.resolve(2);
    expect(told).toEqual([[1, 2]]);
  });

  test('fail with the first that fails', async () => {
    const [first, second] = [new Later<number>(), new Later<number>()];
    const told = taken(all([first, second]) as Later<readonly number[]>);
    second.reject(fault);
    first.reject(new Error('later'));
    expect(told).toEqual([{ error: fault }]);
    await expect(all([Promise.reject(fault), 1])).rejects.toBe(fault);
  });
});

test('a foreign thenable is told of like any other', async () => {
  const told = await new Promise((resolve, reject) => {
    whenThere(Promise.resolve(1), resolve, reject);
  });
  expect(told).toBe(1);
});
