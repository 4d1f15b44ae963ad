import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isJson } from '../../src/internal/is-json.ts';
import { toJson } from '../../src/internal/to-json.ts';

/** A small object that unfolds into 2 to the power of `levels` leaves. */
function shared(levels: number): unknown {
  let value: unknown = { leaf: true };
  for (let level = 0; level < levels; level += 1) value = { left: value, right: value };
  return value;
}

function copyOf<Value extends object>(value: Value): Value {
  return Object.defineProperties({} as Value, Object.getOwnPropertyDescriptors(value));
}

/** Makes new objects for as long as somebody reads it. */
class Endless {
  toJSON(): unknown {
    return { left: new Endless(), right: new Endless() };
  }
}

describe('turning a value into JSON', () => {
  test.each([
    ['shared at 18 levels', shared(18)],
    ['shared at 100 levels', shared(100)],
    ['made anew at each read', new Endless()],
    ['a list with nothing in it', new Array(1e9)],
  ])('ends soon with a text of a bounded size for an object %s', (_name, value) => {
    const started = performance.now();
    const text = JSON.stringify(toJson(value));
    expect(performance.now() - started).toBeLessThan(700);
    expect(text.length).toBeLessThan(8_000_000);
    expect(text).toContain('[too large]');
  });

  test('gives each use of a shared object in full when there is room', () => {
    expect(toJson(shared(2))).toEqual(JSON.parse(JSON.stringify(shared(2))));
    const rows = Array.from({ length: 20_000 }, (_, id) => ({ id, name: `row ${id}` }));
    expect(toJson(rows)).toEqual(rows);
  });

  test('marks what cannot be read, and keeps what is beside it', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const values = [
      proxy,
      Object.create(Date.prototype),
      new Map([[Object.create(null), 1]]),
      { toJSON: () => expect.unreachable() },
    ];
    expect(toJson([...values, 'kept'])).toEqual([...values.map(() => '[unreadable]'), 'kept']);
  });

  test('is the same for an object alone as for one within another', () => {
    const member = fc.anything({
      maxDepth: 1,
      withBigInt: true,
      withDate: true,
      withNullPrototype: true,
    });
    const text = fc.string({ unit: 'binary' });
    const flat = fc.oneof(
      text,
      fc.boolean(),
      fc.double(),
      fc.constantFrom(null, undefined, '\ud800'),
    );
    const key = fc.oneof(text, fc.constantFrom('__proto__', '\ud800', 'toJSON', '0'));
    const values = [
      flat,
      fc.oneof({ weight: 9, arbitrary: flat }, { weight: 1, arbitrary: member }),
    ];
    const object = fc.oneof(...values.map((value) => fc.dictionary(key, value, { maxKeys: 40 })));
    const property = fc.property(object, (value) => {
      const symbols = Object.assign(copyOf(value), { [Symbol('kept by nobody')]: 1 });
      for (const one of [value, symbols]) {
        const alone = toJson(one);
        expect([alone]).toStrictEqual(toJson([one]));
        expect(alone).not.toBe(one);
        expect(Object.getOwnPropertySymbols(alone)).toEqual([]);
      }
    });
    fc.assert(property, { numRuns: 2000 });
  });

  test('a `toJSON` that is not enumerable, or of a proxy, says what is shown', () => {
    const toJSON = (): unknown => ({ id: 'shown' });
    const hidden = Object.defineProperty({ secret: 1 }, 'toJSON', { value: toJSON });
    const served = new Proxy(
      { secret: 1 },
      {
        has: (of, key) => key === 'toJSON' || key in of,
        get: (of, key) => (key === 'toJSON' ? toJSON : Reflect.get(of, key)),
      },
    );
    expect([toJson(hidden), toJson(served)]).toEqual([{ id: 'shown' }, { id: 'shown' }]);
  });

  test('an object that holds itself, or a list, or half a text, is read once and no deeper', () => {
    let reads = 0;
    const counted = { enumerable: true, get: () => ++reads };
    const own: Record<string, unknown> = Object.defineProperty({}, 'id', counted);
    Object.assign(own, { own, list: [own], half: '\ud800', gone: undefined });
    expect(toJson(own)).toEqual({
      id: 1,
      own: '[circular]',
      list: ['[circular]'],
      half: '\ufffd',
    });
    expect(toJson(Object.setPrototypeOf([1, 2], null))).toBe('[unreadable]');
  });

  test('reads each member once, and marks those that cannot be', () => {
    let reads = 0;
    const get = (): number => ++reads;
    expect(toJson(Object.defineProperty({}, 'a', { enumerable: true, get }))).toEqual({ a: 1 });
    const fails = { enumerable: true, get: (): never => expect.unreachable() };
    expect(toJson(Object.defineProperty({ b: 1 }, 'a', fails))).toEqual({
      b: 1,
      a: '[unreadable]',
    });
  });

  test('reads each member once also beside one that cannot be read, wherever that stands', () => {
    const fails = { enumerable: true, get: (): never => expect.unreachable() };
    for (const place of [0, 1, 2, 3]) {
      let reads = 0;
      const counted = { enumerable: true, get: () => ({ read: ++reads }) };
      const names = ['a', 'b', 'c'];
      const members: [string, PropertyDescriptor][] = names.map((name) => [name, counted]);
      members.splice(place, 0, ['fails', fails]);
      members.push(['later', fails], ['plain', { enumerable: true, value: 'kept' }]);
      const value = Object.defineProperties({}, Object.fromEntries(members));
      expect(toJson(value)).toEqual({
        a: { read: 1 },
        b: { read: 2 },
        c: { read: 3 },
        fails: '[unreadable]',
        later: '[unreadable]',
        plain: 'kept',
      });
      expect(reads).toBe(3);
    }
  });

  test('reads one that fails once, and a key `__proto__` beside it changes nothing', () => {
    let reads = 0;
    const get = (): never => {
      reads += 1;
      return expect.unreachable();
    };
    const own = JSON.parse('{"__proto__":{"toJSON":1,"inherited":2},"a":1}');
    expect(toJson(own)).toEqual({ a: 1 });
    const value = Object.defineProperty(own, 'fails', { enumerable: true, get });
    const json = toJson(value);
    expect([json, reads]).toEqual([{ a: 1, fails: '[unreadable]' }, 1]);
    expect(Object.getPrototypeOf(json)).toBe(Object.prototype);
  });

  test('keeps members called as those of `Object.prototype`, also where that is frozen', () => {
    const script = `
      import { toJson } from ${JSON.stringify(new URL('../../src/internal/to-json.ts', import.meta.url).href)};
      const map = new Map([['valueOf', 1]]);
      const given = { constructor: 'Ferrari', points: 25, of: { toString: 'a text' }, map };
      Object.freeze(Object.prototype);
      console.log(JSON.stringify([toJson({ constructor: 'Ferrari' }), toJson(given)]));
    `;
    const args = ['--input-type=module', '--eval', script];
    expect(JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))).toEqual([
      { constructor: 'Ferrari' },
      { constructor: 'Ferrari', points: 25, of: { toString: 'a text' }, map: { valueOf: 1 } },
    ]);
  });

  test('reads a `toJSON` once', () => {
    let reads = 0;
    const of = (given: unknown): object =>
      Object.defineProperty({ id: 1 }, 'toJSON', {
        enumerable: true,
        get() {
          reads += 1;
          return given;
        },
      });
    expect(toJson(of(() => 'shown'))).toBe('shown');
    expect(toJson(of('a text'))).toEqual({ id: 1, toJSON: 'a text' });
    expect(reads).toBe(2);
  });

  test('takes what a proxy hides until it is copied for a member', () => {
    const toJSON = (): never => expect.unreachable();
    const hides = new Proxy({ toJSON, list: [1] }, { has: () => false });
    expect(toJson(hides)).toEqual({ toJSON: '[function toJSON]', list: [1] });
  });

  test('never holds half a character', () => {
    const half = '\ud800';
    const values = [half, Symbol(half), new Error(half), { [half]: 1 }, new Map([[half, half]])];
    expect(JSON.stringify(toJson(values))).not.toContain('ud800');
  });
});

describe('asking whether a value is JSON', () => {
  test('says no to one that unfolds without end, and soon', () => {
    const started = performance.now();
    expect(isJson(shared(100))).toBe(false);
    expect(performance.now() - started).toBeLessThan(700);
    expect(isJson(shared(5))).toBe(true);
  });

  test('says no to one that cannot be read', () => {
    const get = () => expect.unreachable();
    expect(isJson(Object.defineProperty({}, 'a', { enumerable: true, get }))).toBe(false);
  });
});
