import { statSync } from 'node:fs';
import { describeThrown } from '../internal/describe-thrown.ts';
import { type CheckArguments, readArguments, USAGE } from './arguments.ts';
import { type CheckReport, checkProject } from './check-project.ts';
import { reportLines } from './print.ts';
import { REPLAY_USAGE } from './replay/arguments.ts';
import type { ProgressPorts } from './replay/progress.ts';
import { runReplay } from './replay/run-replay.ts';

/** What the command line has of its process. */
export interface CliPorts {
  readonly out: (text: string) => void;
  /** A promise while the reader of `out` is behind; whoever writes much waits for it. */
  readonly drained: () => Promise<unknown> | undefined;
  readonly err: (text: string) => void;
  readonly isColoured: boolean;
  readonly version: () => string;
  /** Where the bar of a replay goes. */
  readonly progress: ProgressPorts;
}

export type ExitCode = 0 | 1 | 2;

/** Runs one command and answers with the exit code: 0 nothing to report, 1 something found, 2 usage or internal failure. */
export async function runCli(args: readonly string[], ports: CliPorts): Promise<ExitCode> {
  const command = readArguments(args);
  switch (command.does) {
    case 'help':
      ports.out(USAGE);
      return 0;
    case 'help-replay':
      ports.out(REPLAY_USAGE);
      return 0;
    case 'version':
      ports.out(`${ports.version()}\n`);
      return 0;
    case 'refuse':
      return refuse(command.why, ports);
    case 'refuse-replay':
      return refuse(command.why, ports, REPLAY_USAGE);
    case 'check':
      return check(command.options, ports);
    case 'replay':
      return runReplay(command.options, ports);
  }
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
      : `${reportLines(report, { isColoured: ports.isColoured, strict }).join('\n')}\n`,
  );
  // What was not looked at may be wrong, and whoever asks for strictness wants to know that nothing is.
  const isDoubtful = report.warnings > 0 || report.leftOut.length > 0;
  return report.errors > 0 || (strict && isDoubtful) ? 1 : 0;
}

function refuse(why: string, { err }: CliPorts, usage = USAGE): ExitCode {
  err(`agent-hooks: ${why}\n\n${usage}`);
  return 2;
}
