import { statSync } from 'node:fs';
import { describeThrown } from '../internal/describe-thrown.ts';
import { type CheckArguments, readArguments, USAGE } from './arguments.ts';
import { type CheckReport, checkProject } from './check-project.ts';
import { reportLines } from './print.ts';

/** What the command line has of its process. */
export interface CliPorts {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly isColoured: boolean;
  readonly version: () => string;
}

export type ExitCode = 0 | 1 | 2;

/** Runs one command and answers with the exit code: 0 no errors, 1 errors found, 2 usage or internal failure. */
export async function runCli(args: readonly string[], ports: CliPorts): Promise<ExitCode> {
  const command = readArguments(args);
  if (command.does === 'help') ports.out(USAGE);
  if (command.does === 'version') ports.out(`${ports.version()}\n`);
  if (command.does === 'refuse') return refuse(command.why, ports);
  return command.does === 'check' ? check(command.options, ports) : 0;
}

async function check(options: CheckArguments, ports: CliPorts): Promise<ExitCode> {
  const { dir, json, strict, ...rules } = options;
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory() !== true)
    return refuse(`There is no folder '${dir}'`, ports);
  let report: CheckReport;
  try {
    report = await checkProject(dir, rules);
  } catch (thrown) {
    const { name, text } = describeThrown(thrown);
    ports.err(`agent-hooks: the check itself failed: ${name}: ${text}\n`);
    return 2;
  }
  for (const note of report.leftOut) ports.err(`note: ${note}\n`);
  ports.out(
    json
      ? `${JSON.stringify(report, null, 2)}\n`
      : `${reportLines(report, ports.isColoured).join('\n')}\n`,
  );
  return report.errors > 0 || (strict && report.warnings > 0) ? 1 : 0;
}

function refuse(why: string, { err }: CliPorts): ExitCode {
  err(`agent-hooks: ${why}\n\n${USAGE}`);
  return 2;
}
