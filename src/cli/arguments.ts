import { parseArgs } from 'node:util';
import { type ReplayCommand, readReplayArguments } from './replay/arguments.ts';

/** What the command line asks for. */
export type Command =
  | { readonly does: 'help' | 'version' }
  | { readonly does: 'refuse'; readonly why: string }
  | { readonly does: 'check'; readonly options: CheckArguments }
  | ReplayCommand;

export interface CheckArguments {
  readonly dir: string;
  readonly json: boolean;
  /** Warnings count as errors, and so do checks that were left out. */
  readonly strict: boolean;
  readonly streaming?: 'hold' | 'window' | 'live';
  readonly oneRewriterPerPoint: boolean;
  readonly requireNames: boolean;
}

export const USAGE = `Usage: agent-hooks check [folder] [options]
       agent-hooks replay --hooks <file> <transcripts...> (see agent-hooks replay --help)

Checks the policies of a project: hooks.ts and everything under hooks/ in the folder (default: this one).
The files are loaded, so what stands at their top level runs; no hook is called.

Options:
  --strict                   warnings count as errors, and so do checks that were left out
  --json                     one JSON document on stdout
  --streaming <mode>         the agent's mode: hold, window or live; warns of policies that text escapes
  --one-rewriter-per-point   two policies at one point are an error
  --require-names            a policy without a name of its own is an error
  -h, --help                 print this
  -v, --version              print the version

Exit codes: 0 no errors, 1 errors found, 2 wrong usage or a failure of the check itself.
`;

const STREAMING = ['hold', 'window', 'live'] as const;

export function readArguments(args: readonly string[]): Command {
  if (args[0] === 'replay') return readReplayArguments(args.slice(1));
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(args);
  } catch (thrown) {
    // The parser says in its first sentence what it does not know.
    const why =
      thrown instanceof Error ? (thrown.message.split('. ')[0] ?? '') : 'unknown arguments';
    return { does: 'refuse', why };
  }
  const { values, positionals } = parsed;
  if (values.help === true) return { does: 'help' };
  if (values.version === true) return { does: 'version' };
  const [command, dir = '.', ...more] = positionals;
  if (command === undefined) return { does: 'refuse', why: 'Say what to do: check or replay' };
  if (command !== 'check') return { does: 'refuse', why: `Unknown command '${command}'` };
  if (more.length > 0) return { does: 'refuse', why: 'Pass one folder only' };
  const streaming = STREAMING.find((mode) => mode === values.streaming);
  if (values.streaming !== undefined && streaming === undefined)
    return { does: 'refuse', why: `--streaming takes one of: ${STREAMING.join(', ')}` };
  return {
    does: 'check',
    options: {
      dir,
      json: values.json === true,
      strict: values.strict === true,
      oneRewriterPerPoint: values['one-rewriter-per-point'] === true,
      requireNames: values['require-names'] === true,
      ...(streaming !== undefined && { streaming }),
    },
  };
}

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    strict: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean', short: 'v' },
      json: { type: 'boolean' },
      strict: { type: 'boolean' },
      streaming: { type: 'string' },
      'one-rewriter-per-point': { type: 'boolean' },
      'require-names': { type: 'boolean' },
    },
  });
}
