import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { ToolPort } from '../../src/tools/port.ts';
import { toolRegistry } from '../../src/tools/registry.ts';
import { tool } from '../../src/tools/tool.ts';

const named = (name: string) =>
  tool({ name, description: name, inputSchema: z.object({}), execute: () => name });

describe('a tool registry', () => {
  test('finds tools by name and describes them in order', () => {
    const [a, b] = [named('a'), named('b')];
    const registry = toolRegistry([a, b]);
    expect(registry.get('b')).toBe(b);
    expect(registry.descriptions).toEqual([a.description, b.description]);
    expect(registry.descriptions).toBe(registry.descriptions);
    expect(Object.isFrozen(registry.descriptions)).toBe(true);
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'c', ''])(
    'B20: finds nothing under the name %j',
    (name) => {
      expect(toolRegistry([named('a')]).get(name)).toBeUndefined();
    },
  );

  test('a tool may be called `constructor`', () => {
    expect(toolRegistry([named('constructor')]).get('constructor')?.name).toBe('constructor');
  });

  test('B58: refuses two tools of one name', () => {
    expect(() => toolRegistry([named('a'), named('b'), named('a')])).toThrow(
      expect.objectContaining({ code: 'duplicate-tool', message: expect.stringContaining("'a'") }),
    );
  });

  test.each([null, {}, { name: 'a', execute: () => null }])(
    'refuses %j, which is no tool',
    (value) => {
      expect(() => toolRegistry([named('b'), value as unknown as ToolPort])).toThrow(
        expect.objectContaining({
          code: 'invalid-tool',
          message: expect.stringContaining('tools[1]'),
        }),
      );
    },
  );

  test('does not notice later changes of the list it was made from', () => {
    const tools: ToolPort[] = [named('a')];
    const registry = toolRegistry(tools);
    tools.push(named('b'));
    expect(registry.get('b')).toBeUndefined();
    expect(registry.size).toBe(1);
  });
});
