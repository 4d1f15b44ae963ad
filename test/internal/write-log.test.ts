import { describe, expect, test } from 'vitest';
import { WriteLog } from '../../src/internal/write-log.ts';

describe('a log of writes', () => {
  test('everyone reads every write, and what is kept is as if the others were never made', () => {
    const log = new WriteLog<number>({ a: 1, b: 2 });
    log.put('x', 'a', 10);
    log.put('y', 'a', 20);
    log.put('y', 'b', undefined);
    expect(log.live).toEqual({ a: 20 });
    expect(log.kept).toEqual({ a: 1, b: 2 });
    log.keep('x');
    expect(log.kept).toEqual({ a: 10, b: 2 });
    expect(log.isOpen).toBe(true);
    log.keep('y');
    expect(log.kept).toEqual({ a: 20 });
    expect(log.isOpen).toBe(false);
  });

  test('the latest write counts in whatever order the writers end', () => {
    const log = new WriteLog<number>({});
    log.put('x', 'a', 1);
    log.put('y', 'a', 2);
    log.keep('y');
    log.keep('x');
    expect([log.live, log.kept]).toEqual([{ a: 2 }, { a: 2 }]);
  });

  test('what is dropped is gone, and what was kept before is not', () => {
    const log = new WriteLog<number>({});
    log.put('x', 'a', 1);
    log.keep('x');
    log.put('x', 'b', 2);
    log.drop('x');
    expect([log.live, log.isOpen]).toEqual([{ a: 1 }, false]);
  });

  test('a key of every object is a key like another', () => {
    const log = new WriteLog<number>({});
    for (const key of ['__proto__', 'constructor', 'toString']) log.put('x', key, 1);
    expect(Object.keys(log.live)).toEqual(['__proto__', 'constructor', 'toString']);
    expect(Object.getPrototypeOf(log.live)).toBe(Object.prototype);
  });

  test('writing one key again does not make it longer', () => {
    const log = new WriteLog<number>({});
    const since = performance.now();
    for (let n = 0; n < 100_000; n += 1) log.put('x', 'a', n);
    expect(log.live).toEqual({ a: 99_999 });
    expect(performance.now() - since).toBeLessThan(2_000);
  });
});
