import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { findProgram, postgresFolders } from './find-program.ts';
import { freePort } from './free-port.ts';
import { type Server, startServer } from './server.ts';

/** Starts PostgreSQL on a new database of its own, with other settings where asked; `undefined` where it is not installed. */
export async function startPostgres(
  more: Readonly<Record<string, string>> = {},
): Promise<Server | undefined> {
  const program = findProgram('postgres', postgresFolders());
  if (program === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'agent-hooks-postgres-'));
  const user = serverUser();
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const init = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N'];
  const options = { cwd: folder, ...user };
  execFileSync(join(dirname(program), 'initdb'), init, { ...options, stdio: 'ignore' });
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  return startServer({
    url,
    ask: () => query(url),
    program,
    args: ['-D', data, '-p', String(port), '-k', folder, ...settings({ ...SETTINGS, ...more })],
    options,
    endSignal: 'SIGQUIT',
    folder,
  });
}

/** While it starts up, it takes connections and refuses every query. */
async function query(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  // A connection that is cut is told of here as well.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** What is lost with the machine does not matter here, and clients are killed in masses. */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  fsync: 'off',
  full_page_writes: 'off',
  max_connections: '300',
  log_min_messages: 'fatal',
  log_min_error_statement: 'panic',
};

function settings(all: Readonly<Record<string, string>>): string[] {
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** The server refuses to run as root. */
function serverUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
