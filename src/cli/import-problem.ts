import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Finding } from '../errors/hook-validation-error.ts';
import { describeThrown } from '../internal/describe-thrown.ts';
import { readText } from '../internal/read-text.ts';
import { redactSecrets } from '../internal/redact-secrets.ts';
import { type Position, placed, positionOf } from './locate.ts';

/** What a failed import was about. `path` is the file at fault, which may be one that the hook file imports. */
interface Fault {
  readonly code: 'syntax-error' | 'missing-import' | 'import-failed' | 'needs-newer-node';
  readonly what: string;
  readonly fix: string;
  readonly path?: string;
  readonly at?: Position;
}

interface Asked {
  readonly dir: string;
  readonly own: string;
}

/** Says what is wrong with a module that could not be loaded, and where. */
export async function importFinding(dir: string, file: string, thrown: unknown): Promise<Finding> {
  const own = join(dir, file);
  const fault = await faultOf({ dir, own }, thrown);
  const path = fault.path ?? own;
  const below = relative(dir, path).split(sep).join('/');
  // A package that is broken is met where the project imports it.
  const isInProject = !below.startsWith('../') && !isAbsolute(below);
  const [name, at] = isInProject ? [below, fault.at] : [file, undefined];
  return placed(
    {
      severity: 'error',
      code: fault.code,
      where: path === own ? file : `${file}, through ${isInProject ? below : path},`,
      what: fault.what,
      fix: fault.fix,
    },
    name,
    at ?? { line: 1, column: 1 },
  );
}

async function faultOf({ dir, own }: Asked, thrown: unknown): Promise<Fault> {
  const code = readText(Object(thrown), 'code');
  const { name, text } = describeThrown(thrown);
  const said = brief(text);
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION' && /\.[mc]?ts\b/.test(text)) return needsNewerNode();
  if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') {
    return missing(said, importerIn(text) ?? own, Object(thrown));
  }
  if (name === 'SyntaxError' || code?.endsWith('_TYPESCRIPT_SYNTAX') === true) {
    const seen = headPlace(stackOf(thrown)) ?? (await checkedSyntax(own));
    if (/does not provide an export named/.test(text)) {
      const fix = 'Export it there, or import what is exported';
      return { code: 'missing-import', what: said, fix, ...seen };
    }
    const where = seen === undefined ? 'a file that it imports cannot be read: ' : '';
    const fix = 'Correct the syntax; Node runs types away and knows no enum or namespace';
    return { code: 'syntax-error', what: `${where}${said}`, fix, ...seen };
  }
  const what = `throws while it is loaded: ${name}: ${said}`;
  const fix = 'Do no work at the top of a module that can fail; do it in a hook';
  return { code: 'import-failed', what, fix, ...framePlace(stackOf(thrown), dir) };
}

function needsNewerNode(): Fault {
  return {
    code: 'needs-newer-node',
    what: `is TypeScript, which Node ${process.versions.node} does not load by itself`,
    fix: 'Run Node 22.18 or newer, start Node with a loader such as `--import tsx`, or build to JavaScript and pass that folder',
  };
}

function missing(said: string, path: string, thrown: object): Fault {
  const fix = 'Check the path (with its extension) and what is installed';
  const wanted =
    readText(thrown, 'url') ?? /'([^']+)'/.exec(readText(thrown, 'message') ?? '')?.[1];
  const found = wanted === undefined ? undefined : specifierPlace(path, wanted);
  if (found === undefined) return { code: 'missing-import', what: said, fix, path };
  const what = `imports '${found.specifier}', and there is no such module`;
  return { code: 'missing-import', what, fix, path, at: found.at };
}

function importerIn(message: string): string | undefined {
  const found = /imported from (\S.*)$|Require stack:\n- (.+)/m.exec(message);
  const path = found?.[1] ?? found?.[2];
  return path?.startsWith('file:') ? fileURLToPath(path) : path;
}

/** The text in quotes that names what could not be found, as it is or as the path it stands for. */
function specifierPlace(
  path: string,
  wanted: string,
): { readonly specifier: string; readonly at: Position } | undefined {
  const text = readFileSync(path, 'utf8');
  const url = wanted.startsWith('/') ? pathToFileURL(wanted).href : wanted;
  for (const { index, 2: specifier = '' } of text.matchAll(/(['"])([^'"\n]+)\1/g)) {
    const isMeant =
      specifier === wanted ||
      specifier.startsWith(`${wanted}/`) ||
      (specifier.startsWith('.') && new URL(specifier, pathToFileURL(path)).href === url);
    if (isMeant) return { specifier, at: positionOf(text, index) };
  }
  return undefined;
}

function stackOf(thrown: unknown): string {
  return readText(Object(thrown), 'stack') ?? '';
}

/** Node writes the place of a syntax error above the stack. */
function headPlace(stack: string): { readonly path: string; readonly at: Position } | undefined {
  const [first = '', ...rest] = stack.split('\n');
  const found = /^(file:\/\/.+|\/.+|[A-Za-z]:\\.+):(\d+)$/.exec(first);
  if (found === null) return undefined;
  const marks = rest.find((each) => /^\s*\^+\s*$/.test(each));
  return {
    path: asPath(found[1] ?? ''),
    at: { line: Number(found[2]), column: marks === undefined ? 1 : marks.indexOf('^') + 1 },
  };
}

/** The innermost line of the project itself: what a package throws is most often about how it was called. */
function framePlace(
  stack: string,
  dir: string,
): { readonly path: string; readonly at: Position } | undefined {
  const frames = stack.matchAll(
    /^\s+at (?:.*\()?(file:\/\/.+|\/.+|[A-Za-z]:\\.+):(\d+):(\d+)\)?$/gm,
  );
  for (const [, place = '', line, column] of frames) {
    const path = asPath(place);
    const below = relative(dir, path);
    if (below.startsWith('..') || /(^|[\\/])node_modules[\\/]/.test(below)) continue;
    return { path, at: { line: Number(line), column: Number(column) } };
  }
  return undefined;
}

function asPath(place: string): string {
  return place.startsWith('file:') ? fileURLToPath(place) : place;
}

/** For an ES module Node says where only when it is asked to check that one file. */
function checkedSyntax(
  path: string,
): Promise<{ readonly path: string; readonly at: Position } | undefined> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['--check', path], { env: {} }, (_error, _out, err) => {
      resolve(headPlace(err));
    });
  });
}

/** The first line of a message. It is read by a person, and may be kept in the log of a build. */
function brief(text: string): string {
  const [first = ''] = text.split('\n');
  const safe = redactSecrets(first).replace(/\.$/, '');
  return safe.length <= 300 ? safe : `${safe.slice(0, 300)}…`;
}
