import type { ToolRegistry } from '../tools/port.ts';
import { propertiesOf } from '../tools/schema-at.ts';
import { checkNames } from './reply-rules.ts';
import type { StateSchema } from './state-schema.ts';

/** What only an agent can say of its tools: whether its state has what they name of it. Throws `ConfigError`. */
export function checkNamed(tools: ToolRegistry, state: StateSchema | undefined): void {
  for (const { name } of tools.descriptions) {
    const { announce, stateNames } = tools.get(name) ?? {};
    const place = { where: `tool '${name}'`, code: 'invalid-tool' } as const;
    if (announce !== undefined) {
      const also = Object.keys(propertiesOf(announce.inputSchema));
      checkNames({ ...place, option: 'announce' }, announce.names, { state, also });
    }
    if (stateNames === undefined) continue;
    const { option, names } = stateNames;
    checkNames({ ...place, option }, names, { state, also: ['input'] });
  }
}
