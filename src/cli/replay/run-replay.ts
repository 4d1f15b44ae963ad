import { existsSync, type Stats, statSync } from 'node:fs';
import { ConfigError } from '../../errors/config-error.ts';
import { describeThrown } from '../../internal/describe-thrown.ts';
import { readThreads } from '../../testing/replay/read-threads.ts';
import { readTranscripts } from '../../testing/replay/read-transcripts.ts';
import { type ReplayOptions, replay } from '../../testing/replay/replay.ts';
import type { ReplayEntry, ReplayReport } from '../../testing/replay/report.ts';
import type { BrokenTranscript, Transcript } from '../../testing/replay/transcript.ts';
import type { ReplayArguments } from './arguments.ts';
import { fails } from './fail-on.ts';
import { HtmlReport } from './html/html-report.ts';
import { LoadProblem, loadContext, loadPolicies, loadStore, loadTools } from './load-parts.ts';
import { plain } from './plain.ts';
import { ReplayPrinter } from './print.ts';
import { Progress, type ProgressPorts } from './progress.ts';

export interface ReplayPorts {
  readonly out: (text: string) => void;
  /** A promise while the reader of `out` is behind. */
  readonly drained: () => Promise<unknown> | undefined;
  readonly err: (text: string) => void;
  readonly isColoured: boolean;
  readonly progress: ProgressPorts;
}

/** Replays what the arguments say and prints it. Answers with the exit code: see the usage. */
export async function runReplay(args: ReplayArguments, ports: ReplayPorts): Promise<0 | 1 | 2> {
  try {
    return await replayAndPrint(args, ports);
  } catch (thrown) {
    const { name, text } = describeThrown(thrown);
    const isOfUser = thrown instanceof LoadProblem || ConfigError.isInstance(thrown);
    ports.err(`agent-hooks: ${isOfUser ? text : `the replay itself failed: ${name}: ${text}`}\n`);
    return 2;
  }
}

async function replayAndPrint(args: ReplayArguments, ports: ReplayPorts): Promise<0 | 1 | 2> {
  const progress = new Progress(ports.progress, sizeOf(args.transcripts));
  refuseOverwriting(args);
  const given = await partsOf(args);
  const store = args.store === undefined ? undefined : await loadStore(args.store);
  const html = args.html === undefined ? undefined : new HtmlReport(args.html, args);
  const sink = args.json ? new JsonSink(ports) : new TextSink(ports);
  const { transcripts, threadIds } = args;
  async function* conversations(): AsyncGenerator<Transcript | BrokenTranscript> {
    const onBytes = (bytes: number): void => progress.read(bytes);
    const limit = args.maxBytes === undefined ? {} : { maxBytes: args.maxBytes };
    yield* readTranscripts(transcripts, { onBytes, ...limit });
    if (store !== undefined) yield* readThreads(store, threadIds.length > 0 ? { threadIds } : {});
  }
  try {
    const run = replay({ ...given, conversations: conversations() });
    for await (const entry of run) {
      progress.next();
      html?.add(entry);
      sink.add(entry, () => progress.clear());
      // What a slow reader has not taken yet would all be kept in memory.
      await ports.drained();
    }
    progress.clear();
    const report = await run.report();
    if (report.derivedTools.length > 0) ports.err(noteOf(report));
    sink.end(report);
    html?.end(report);
    if (report.broken > 0 || report.problems > 0) return 2;
    return fails(report, args.failOn) ? 1 : 0;
  } finally {
    html?.close();
    await store?.close?.();
  }
}

async function partsOf(args: ReplayArguments): Promise<Omit<ReplayOptions, 'conversations'>> {
  // One after the other: what modules do to each other while they load is then the same every time.
  const hooks = await loadPolicies(args.hooks);
  const against = args.against === undefined ? undefined : await loadPolicies(args.against);
  const tools = args.tools === undefined ? undefined : await loadTools(args.tools);
  const context = args.context === undefined ? undefined : await loadContext(args.context);
  return {
    hooks,
    ...(against !== undefined && { against }),
    ...(tools !== undefined && { tools }),
    contextOf: () => context,
  };
}

/** Policies that go by tiers or side effects are told something that may not be so. */
function noteOf({ derivedTools }: ReplayReport): string {
  const names = derivedTools.slice(0, 5).map(plain).join(', ');
  const more = derivedTools.length > 5 ? ', …' : '';
  return `note: not declared by --tools, so taken to be tier auto and side effects once: ${names}${more}\n`;
}

/** A file that is not there is refused here, before any policy is loaded. */
function sizeOf(files: readonly string[]): number {
  return files.reduce((total, file) => {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) throw new LoadProblem(`There is no file '${file}'`);
    if (stats.isDirectory()) throw new LoadProblem(`'${file}' is a folder: pass the files in it`);
    return total + stats.size;
  }, 0);
}

/** A slip of the hand must not cost a record. */
function refuseOverwriting({ html, ...args }: ReplayArguments): void {
  if (html === undefined || !existsSync(html)) return;
  const { transcripts, hooks, against, tools, context, store } = args;
  const inputs = [...transcripts, hooks, against, tools, context, store];
  // A hard link is another name of the same file, and has a path of its own.
  const target = statSync(html);
  const input = inputs.find(
    (path) => path && existsSync(path) && isSameFile(statSync(path), target),
  );
  if (input !== undefined)
    throw new LoadProblem(`--html would overwrite '${input}', which is read`);
}

function isSameFile(a: Stats, b: Stats): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}

class TextSink {
  readonly #out: (text: string) => void;
  readonly #printer: ReplayPrinter;
  #hasPrinted = false;

  constructor({ out, isColoured }: ReplayPorts) {
    this.#out = out;
    this.#printer = new ReplayPrinter(isColoured);
  }

  add(entry: ReplayEntry, makeRoom: () => void): void {
    const lines = this.#printer.entry(entry);
    if (lines.length === 0) return;
    makeRoom();
    this.#hasPrinted = true;
    this.#out(`${lines.join('\n')}\n`);
  }

  end(report: ReplayReport): void {
    const lines = this.#printer.report(report);
    this.#out(`${this.#hasPrinted ? '\n' : ''}${lines.join('\n')}\n`);
  }
}

/** One document, written as it grows. */
class JsonSink {
  readonly #out: (text: string) => void;
  #separator = '\n';

  constructor({ out }: ReplayPorts) {
    this.#out = out;
    out('{"version":1,"conversations":[');
  }

  add(entry: ReplayEntry): void {
    this.#out(`${this.#separator}${JSON.stringify(entryOf(entry))}`);
    this.#separator = ',\n';
  }

  end(report: ReplayReport): void {
    this.#out(`\n],"summary":${JSON.stringify(report)}}\n`);
  }
}

/** The transcript is what went in. */
function entryOf(entry: ReplayEntry): object {
  if (entry.type === 'broken') return entry;
  const { transcript: _transcript, ...rest } = entry;
  return rest;
}
