/** `node load.ts <folder> <options>`: loads the hooks of a project and prints what came of it as one line of JSON. */
import { checkHooks, HookValidationError, loadHooks } from 'agent-hooks/load';

const [folder = '.', options = '{}'] = process.argv.slice(2);
const rules = JSON.parse(options);
const { findings } = await checkHooks(folder, rules);
const warnings = findings.filter(({ severity }) => severity === 'warning').map(({ code }) => code);
try {
  const hooks = await loadHooks(folder, rules);
  print({ names: hooks.map(({ name }) => name ?? null), warnings });
} catch (error) {
  if (!HookValidationError.isInstance(error)) throw error;
  const { name, message, findings: all } = error;
  print({ error: { name, message, findings: all }, warnings });
}

function print(outcome: object): void {
  process.stdout.write(`${JSON.stringify(outcome)}\n`);
}
