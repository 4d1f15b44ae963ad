import { ConfigError } from '../errors/config-error.ts';
import type { ToolPort, ToolRegistry } from './port.ts';

/** Puts tools in one place by name. Throws `ConfigError` for two of one name and for what is no tool. */
export function toolRegistry(tools: readonly ToolPort<never>[]): ToolRegistry {
  const byName = new Map<string, ToolPort<never>>();
  for (const [index, one] of tools.entries()) {
    if (!isTool(one)) throw noTool(index);
    if (byName.has(one.name)) throw duplicate(one.name);
    byName.set(one.name, one);
  }
  const descriptions = Object.freeze([...byName.values()].map((one) => one.description));
  return Object.freeze({
    size: byName.size,
    descriptions,
    get: (name: string) => byName.get(name),
  });
}

function isTool(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    'name' in value &&
    typeof value.name === 'string' &&
    'description' in value &&
    'check' in value &&
    typeof value.check === 'function' &&
    'run' in value &&
    typeof value.run === 'function'
  );
}

function noTool(index: number): ConfigError {
  return new ConfigError('invalid-tool', {
    where: `tools[${index}]`,
    what: 'it is no tool',
    fix: 'Build it with `tool({ name, description, inputSchema, execute })`',
  });
}

function duplicate(name: string): ConfigError {
  return new ConfigError('duplicate-tool', {
    where: `tool '${name}'`,
    what: 'two tools have this name, so the second could never be called',
    fix: 'Rename one of them. With `knowledge` an agent has a tool `search_knowledge` already',
  });
}
