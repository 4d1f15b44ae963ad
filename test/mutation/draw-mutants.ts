import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Instrumenter } from '../../node_modules/@stryker-mutator/instrumenter/dist/src/instrumenter.js';
import { Mutant } from '../../node_modules/@stryker-mutator/instrumenter/dist/src/mutant.js';
import { allMutators } from '../../node_modules/@stryker-mutator/instrumenter/dist/src/mutators/mutate.js';

/** One change to one place of the sources. */
export interface Place {
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
  const file = relative(ROOT, fileName).replaceAll('\\', '/');
  const place = `${start.line}:${start.column}-${end.line}:${end.column}`;
  return `${file} ${place} ${mutatorName} ${replacement}`;
}

/** In which of `parts` a mutant is: as good as random, and always the same. */
export function partOf(mutant: Place, parts: number): number {
  return createHash('sha256').update(keyOf(mutant)).digest().readUInt32BE() % parts;
}

/** Every mutant that Stryker makes of the files. */
export async function listMutants(files: readonly string[]): Promise<readonly Place[]> {
  const silent = Object({
    isDebugEnabled: () => false,
    info: () => undefined,
    debug: () => undefined,
  });
  const sources = files.map((file) => {
    const name = join(ROOT, file);
    return { name, mutate: true, content: readFileSync(name, 'utf8') };
  });
  const options = { ignorers: [], excludedMutations: [], plugins: null };
  return (await new Instrumenter(silent).instrument(sources, options)).mutants;
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
