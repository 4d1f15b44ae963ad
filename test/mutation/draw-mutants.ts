import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { Instrumenter } from '../../node_modules/@stryker-mutator/instrumenter/dist/src/instrumenter.js';
import { Mutant } from '../../node_modules/@stryker-mutator/instrumenter/dist/src/mutant.js';
import { allMutators } from '../../node_modules/@stryker-mutator/instrumenter/dist/src/mutators/mutate.js';

/** One change to one place of the sources. */
export interface Place {
  /** From the root of the project, or absolute. */
  readonly fileName: string;
  /** Counts lines from 0, as Stryker does inside. */
  readonly location: { readonly start: Position; readonly end: Position };
  readonly mutatorName: string;
  readonly replacement: string;
}

interface Position {
  readonly line: number;
  readonly column: number;
}

const ROOT = join(import.meta.dirname, '..', '..');
const MAKE_ALL = allMutators.map((mutator) => mutator.mutate.bind(mutator));

/** What tells a mutant apart from every other of the same code, wherever that is. */
export function keyOf({
  fileName,
  location: { start, end },
  mutatorName,
  replacement,
}: Place): string {
  const file = relative(ROOT, resolve(ROOT, fileName)).replaceAll('\\', '/');
  const place = `${start.line}:${start.column}-${end.line}:${end.column}`;
  return `${file} ${place} ${mutatorName} ${replacement}`;
}

/** In which of `parts` a mutant is: as good as random, and always the same. */
export function partOf(mutant: Place, parts: number): number {
  return createHash('sha256').update(keyOf(mutant)).digest().readUInt32BE() % parts;
}

/** Every mutant that Stryker makes of the files, whose names are from the root of the project. */
export async function listMutants(files: readonly string[]): Promise<readonly Place[]> {
  const silent = Object({
    isDebugEnabled: () => false,
    info: () => undefined,
    debug: () => undefined,
  });
  const instrumenter = new Instrumenter(silent);
  const options = { ignorers: [], excludedMutations: [], plugins: null };
  const found = await Promise.all(
    files.map(async (name) => {
      const content = readFileSync(join(ROOT, name), 'utf8');
      return (await instrumenter.instrument([{ name, mutate: true, content }], options)).mutants;
    }),
  );
  return found.flat().map(({ fileName, location, mutatorName, replacement }) => ({
    fileName,
    location,
    mutatorName,
    replacement,
  }));
}

/**
 * From now on Stryker makes only the `chosen` mutants in this process. It has no option for that: its ranges and ignorers
 * take in or leave out whatever is nested, which is no fair draw.
 */
export function makeOnly(chosen: readonly Place[]): void {
  const keys = new Set(chosen.map(keyOf));
  for (const [index, mutator] of allMutators.entries()) {
    mutator.filter = () => true; // Was applied when they were listed.
    mutator.mutate = function* (path, context) {
      const { filename } = Object(path.hub).file.opts;
      for (const replacement of MAKE_ALL[index]?.(path, context) ?? []) {
        const specs = { replacement, mutatorName: mutator.name };
        if (keys.has(keyOf(new Mutant('', filename, path.node, specs).toApiMutant())))
          yield replacement;
      }
    };
  }
}
