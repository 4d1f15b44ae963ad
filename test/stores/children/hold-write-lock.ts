import { openConnection } from '../open-connection.ts';

/** Holds the write lock of a new file for a while, as a process does that makes its tables. */
const [path = '', holdMs = '0'] = process.argv.slice(2);
const connection = openConnection(path);
connection.exec('BEGIN IMMEDIATE');
process.stdout.write('held\n');
await new Promise((resolve) => setTimeout(resolve, Number(holdMs)));
connection.exec('ROLLBACK');
connection.close();
