import { parseArgs } from 'node:util';
import { type FailOn, readFailOn } from './fail-on.ts';

/** What a replay is asked for on the command line. */
export interface ReplayArguments {
  readonly transcripts: readonly string[];
  readonly hooks: string;
  readonly against?: string;
  readonly tools?: string;
  readonly context?: string;
  readonly store?: string;
  readonly threadIds: readonly string[];
  readonly json: boolean;
  readonly html?: string;
  readonly failOn: FailOn;
  readonly maxBytes?: number;
}

export type ReplayCommand =
  | { readonly does: 'help-replay' }
  | { readonly does: 'refuse-replay'; readonly why: string }
  | { readonly does: 'replay'; readonly options: ReplayArguments };

export const REPLAY_USAGE = `Usage: agent-hooks replay --hooks <file> [options] <transcripts...>

Runs recorded conversations past policies, without a model and without a tool, and prints what each would have
decided. Transcripts are JSON lines or JSON: OpenAI chat messages, AI SDK messages, or exported threads.

Options:
  --hooks <file>      the policies: a file that exports them, or a folder as \`agent-hooks check\` takes it
  --against <file>    other policies, such as those that are live; every difference is listed
  --tools <file>      exports the agent's tools; none of them runs. Default: tools as the record has them
  --context <file>    JSON, or a module's default export: what policies read in ctx.context
  --store <file>      replays threads of a store: a SQLite file, or a module whose default export is a store
  --thread <id>       of the store only this thread; may be given several times
  --fail-on <kinds>   what is exit code 1, with commas: decisions such as block, or any, failed, difference, none
                      Default: any; with --against: difference,failed
  --json              one JSON document on stdout
  --html <file>       writes a report to read in a browser
  --max-bytes <n>     bytes of one conversation; what is longer counts as broken. Default: 33554432
  -h, --help          print this

Exit codes: 0 nothing of what --fail-on names, 1 some of it, 2 wrong usage, policies that do not load, or a
conversation that could not be replayed; the others were, and are in the report.
`;

export function readReplayArguments(args: readonly string[]): ReplayCommand {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(args);
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message.split('. ')[0] : undefined;
    return refuse(why ?? 'unknown arguments');
  }
  const { values, positionals: transcripts } = parsed;
  if (values.help === true) return { does: 'help-replay' };
  const { hooks, against, tools, context, store, html, thread: threadIds = [] } = values;
  if (hooks === undefined) return refuse('Say which policies: --hooks <file>');
  if (transcripts.length === 0 && store === undefined)
    return refuse('Say what to replay: files with recorded conversations, or --store <file>');
  if (threadIds.length > 0 && store === undefined)
    return refuse('--thread is for the threads of a --store');
  const failOn = readFailOn(values['fail-on'], { compares: against !== undefined });
  if ('problem' in failOn) return refuse(failOn.problem);
  const maxBytes = values['max-bytes'] === undefined ? undefined : Number(values['max-bytes']);
  if (maxBytes !== undefined && !(Number.isSafeInteger(maxBytes) && maxBytes > 0))
    return refuse('--max-bytes takes a whole number above 0');
  const files = { against, tools, context, store, html, maxBytes };
  const given = Object.entries(files).filter(([, value]) => value !== undefined);
  const json = values.json === true;
  const options = { transcripts, hooks, threadIds, json, failOn, ...Object.fromEntries(given) };
  return { does: 'replay', options };
}

function refuse(why: string): ReplayCommand {
  return { does: 'refuse-replay', why };
}

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    strict: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      hooks: { type: 'string' },
      against: { type: 'string' },
      tools: { type: 'string' },
      context: { type: 'string' },
      store: { type: 'string' },
      thread: { type: 'string', multiple: true },
      'fail-on': { type: 'string' },
      json: { type: 'boolean' },
      html: { type: 'string' },
      'max-bytes': { type: 'string' },
    },
  });
}
