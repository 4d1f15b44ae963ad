import { ConfigError, type PromptInfo, PromptSuffix } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import type { Purpose } from '../../src/protocol/texts.ts';
import { bench, illegal, NOW } from '../hooks/make-gate.ts';

const about = (model: string, site: Purpose = 'main'): PromptInfo => ({
  site,
  model,
  threadId: 't',
  turnId: '1',
  step: 1,
});

describe('PromptSuffix', () => {
  test('U-AD1: adds the suffix after a blank line', () => {
    expect(new PromptSuffix('/no_think').systemPrompt('P', about('m'))).toBe('P\n\n/no_think');
    expect(new PromptSuffix('/no_think').systemPrompt('', about('m'))).toBe('/no_think');
  });

  test('U-AD2: reaches every site a prompt is built for', () => {
    const { gate } = bench([new PromptSuffix('/x')]);
    for (const purpose of ['main', 'compaction', 'judge', 'output'] as const) {
      expect(gate.systemPrompt('P', { ...NOW, purpose })).toMatchObject({ value: 'P\n\n/x' });
    }
  });

  test('U-AD3: with a model, only prompts that model reads', () => {
    const suffix = new PromptSuffix('/x', { model: 'nemotron' });
    expect(suffix.systemPrompt('P', about('nemotron'))).toBe('P\n\n/x');
    expect(suffix.systemPrompt('P', about('summariser', 'compaction'))).toBeUndefined();
    const { gate } = bench([suffix]);
    expect(gate.systemPrompt('P', NOW, 'other')).toMatchObject({ value: 'P', modified: false });
    expect(gate.systemPrompt('P', NOW, 'nemotron')).toMatchObject({ value: 'P\n\n/x' });
  });

  test('U-AD4: the text is stripped', () => {
    expect(new PromptSuffix(' /x\n').systemPrompt('P', about('m'))).toBe('P\n\n/x');
  });

  test.each(['', ' \n', illegal(undefined), illegal(1)])(
    'U-AD5: %j is refused, and what to do is said',
    (text) => {
      expect(() => new PromptSuffix(text)).toThrow(ConfigError);
      expect(() => new PromptSuffix(text)).toThrow(/blank\. Pass the text/);
    },
  );

  test('U-AD6: 512 characters are taken, and 513 refused, after stripping', () => {
    expect(() => new PromptSuffix(` ${'x'.repeat(512)} `)).not.toThrow();
    expect(() => new PromptSuffix('👍'.repeat(512))).not.toThrow();
    expect(() => new PromptSuffix('x'.repeat(513))).toThrow(/512/);
  });

  test.each(['/x {{a}}', '{{ a }}', '{{a\n}}'])('U-AD7: a placeholder is refused: %j', (text) => {
    expect(() => new PromptSuffix(text)).toThrow(/placeholder/);
  });

  test.each([
    illegal({ modle: 'x' }),
    illegal({ model: 1 }),
    { model: ' ' },
    { name: '' },
    illegal('nemotron'),
  ])('options that say something else are refused: %j', (options) => {
    expect(() => new PromptSuffix('/x', options)).toThrow(ConfigError);
  });

  test('is named for its model, so that one for each goes into one list', () => {
    const names = [new PromptSuffix('/a'), new PromptSuffix('/b', { model: 'm' })].map(
      ({ name }) => name,
    );
    expect(names).toEqual(['PromptSuffix', 'PromptSuffix:m']);
    expect(new PromptSuffix('/a', { name: 'mine' }).name).toBe('mine');
  });
});
