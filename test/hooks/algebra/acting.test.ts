import { describe, expect, test } from 'vitest';
import { partsOf } from '../../../src/hooks/plan.ts';
import { refuseActing } from '../../../src/hooks/refuse-acting.ts';

const hook = (): undefined => undefined;

describe('where only answers count', () => {
  test.each(['wrapToolUse', 'wrapLlmCall', 'systemPrompt', 'onContextCompact'])(
    '%s is refused, as it acts in place of answering',
    (point) => {
      const parts = partsOf({ name: 'a', preToolUse: hook, [point]: hook });
      expect(() => refuseActing('shadow', parts)).toThrow(
        `shadow: was given a policy with '${point}'`,
      );
    },
  );

  test('what decides and what watches is not', () => {
    const parts = partsOf({ name: 'a', preToolUse: hook, onLlmResponse: hook, onEvent: hook });
    expect(() => refuseActing('parallel', parts)).not.toThrow();
  });
});
