import type { KnowledgePassage } from 'agent-hooks';
import { memoryIndex } from 'agent-hooks/knowledge/memory';
import { describe, expect, test } from 'vitest';

const passage = (text: string, source = 'a.md'): KnowledgePassage => ({
  text,
  scope: 'docs',
  source,
});
const bags = passage('Checked bags over 23 kg cost 50 euros.', 'bags.md');
const refunds = passage('Tickets are refunded within 24 hours of the booking.', 'refunds.md');
const pets = passage('Small pets travel in the cabin.', 'pets.md');

const textsOf = (found: readonly KnowledgePassage[]) => found.map(({ text }) => text);
const find = (query: string, limit = 5) =>
  textsOf(memoryIndex([bags, refunds, pets]).search(query, { limit }));

describe('the index in memory', () => {
  test.each([
    ['a word', 'bags', [bags]],
    ['in capitals', 'BAGS', [bags]],
    ['a letter wrong', 'refundet', [refunds]],
    ['only begun', 'tick', [refunds]],
    ['one of several', 'bags unheardof', [bags]],
    ['a short one that others begin with', 'ca', []],
    ['none', 'weather', []],
    ['nothing but signs', '!? "* -', []],
    ['what is syntax elsewhere', 'bags" OR 1=1 --', [bags]],
  ])('finds %s', (_what, query, expected) => {
    expect(find(query)).toEqual(textsOf(expected));
  });

  test('the more and the rarer words, the better, and no more than the limit', () => {
    const both = passage('Pets and bags.');
    const index = memoryIndex([bags, refunds, pets, both]);
    const found = index.search('pets bags', { limit: 2 });
    expect(found).toHaveLength(2);
    expect(found[0]).toMatchObject(both);
    const [first, second] = found.map(({ score }) => score ?? 0);
    expect(first).toBeGreaterThan(second ?? 0);
  });

  test('gives a passage as it was given, frozen, with a score', () => {
    const given = { ...bags, metadata: { team: ['fares'] }, score: -1 };
    const [found] = memoryIndex([given]).search('bags', { limit: 1 });
    expect(found).toEqual({ ...given, score: expect.any(Number) });
    expect(found?.score).toBeGreaterThan(0);
    expect(Object.isFrozen(found)).toBe(true);
    expect(Object.isFrozen(found?.metadata)).toBe(true);
    expect(Object.isFrozen(given.metadata)).toBe(false);
  });

  test('what is added later is found, what is removed is not', () => {
    const index = memoryIndex([bags]);
    index.add([pets, passage('More about pets.', 'pets.md')]);
    expect(index.size).toBe(3);
    expect(index.search('pets', { limit: 5 })).toHaveLength(2);
    expect(index.remove('pets.md')).toBe(2);
    expect(index.remove('pets.md')).toBe(0);
    expect(index.search('pets', { limit: 5 })).toEqual([]);
    expect(index.size).toBe(1);
    index.add([passage('Pets', 'short.md'), pets]);
    index.remove('short.md');
    expect(textsOf(index.search('pets', { limit: 1 }))).toEqual([pets.text]);
  });

  test('of a query the first 32 words count, each once', () => {
    const many = Array.from({ length: 31 }, (_, n) => `word${n}`).join(' ');
    expect(find(`${many} bags`)).toEqual([bags.text]);
    expect(find(`${many} other bags`)).toEqual([]);
    expect(find(`${'word '.repeat(500)} bags`)).toEqual([bags.text]);
  });

  test('a passage that is none is refused, and nothing of the list is added', () => {
    const index = memoryIndex();
    const bad = { text: 'secret text', scope: 'docs' } as KnowledgePassage;
    const adding = () => index.add([bags, bad]);
    expect(adding).toThrow(expect.objectContaining({ code: 'invalid-input' }));
    expect(adding).toThrow(/1\.source/);
    expect(adding).not.toThrow(/secret/);
    expect(index.size).toBe(0);
    expect(index.search('bags', { limit: 5 })).toEqual([]);
  });

  test('half a character of a text is replaced', () => {
    const [found] = memoryIndex([passage('bags \ud83d')]).search('bags', { limit: 1 });
    expect(found?.text).toBe('bags \ufffd');
  });

  test.each(['constructor', '__proto__', 'toString'])('%s is a word like any other', (word) => {
    const index = memoryIndex([passage(`About ${word}.`, word)]);
    expect(index.search(word, { limit: 5 })).toHaveLength(1);
    expect(index.remove(word)).toBe(1);
  });
});
