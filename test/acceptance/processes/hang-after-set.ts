/** Sets a value in a tool and hangs in it, on the file it is given, until it is killed. */
import { sqliteStore } from 'agent-hooks/stores/sqlite';
import { calling, stateDesk, stateTool } from '../../loop/state-desk.ts';

const [path = ''] = process.argv.slice(2);
const book = stateTool('book', async ({ state }) => {
  state.set('visits', 7);
  process.stdout.write('set\n');
  await new Promise(() => setInterval(() => undefined, 1_000));
});
const store = sqliteStore({ path });
const { agent } = stateDesk({ script: [calling('book')], tools: [book], store });
await agent.run({ threadId: 't', message: 'go', state: { day: 'monday' } });
