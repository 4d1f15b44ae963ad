import { describe, expect, test } from 'vitest';
import { fillTemplate, placeholdersIn } from '../../src/protocol/template.ts';

const values = {
  name: 'Ann',
  n: 0,
  flag: false,
  none: null,
  blank: '',
  list: [1, { a: 'x' }],
  order: { id: 'A-1', lines: [] },
  tricky: '{{name}} $& $1 }}',
  unset: undefined,
};
const fields = [...Object.keys(values), 'day'];
const fill = (text: string): string => fillTemplate(text, values, (name) => fields.includes(name));

describe('a template', () => {
  test.each([
    ['Hi {{name}}, {{ name }}!', 'Hi Ann, Ann!'],
    ['{{n}} {{flag}} {{list}} {{order}}', '0 false [1,{"a":"x"}] {"id":"A-1","lines":[]}'],
    ['<{{none}}{{blank}}{{unset}}{{day}}>', '<>'],
    ['{{order.id}} {{list.1.a}} {{list.0}}', 'A-1 x 1'],
    ['<{{order.missing}}{{name.length}}{{list.length}}{{list.7}}{{order.constructor.name}}>', '<>'],
    [
      '{{other}} {{#x}} {{}} {{toString}} {name} {{name',
      '{{other}} {{#x}} {{}} {{toString}} {name} {{name',
    ],
    ['<{{order.constructor}}{{order.__proto__}}{{list.map}}{{list.__proto__}}>', '<>'],
    ['{{{name}}}', '{Ann}'],
    ['no placeholder', 'no placeholder'],
  ])('%s', (text, filled) => {
    expect(fill(text)).toBe(filled);
  });

  test('a value is put in as it is, and not filled again', () => {
    expect(fill('{{tricky}}|{{name}}')).toBe('{{name}} $& $1 }}|Ann');
  });

  test('tells its placeholders', () => {
    expect(placeholdersIn('{{a}} {{ b.c }} {{-}}')).toEqual([
      { text: 'a', path: ['a'] },
      { text: 'b.c', path: ['b', 'c'] },
      { text: '-' },
    ]);
  });

  test('is read in a time that grows with its length', () => {
    const since = performance.now();
    fill(`${'{{'.repeat(100_000)}${'{{a.'.repeat(50_000)}${'}}'.repeat(100_000)}`);
    expect(performance.now() - since).toBeLessThan(1_000);
  });
});
