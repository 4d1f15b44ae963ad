import { join } from 'node:path';
import { isNothing } from './answer-type.ts';
import { checkAnswers } from './check-answers.ts';
import { checkLostDecisions } from './check-lost-decisions.ts';
import { checkNames } from './check-names.ts';
import { answersOf, type HookMethod, hookMethods } from './hook-methods.ts';
import { loadTypeScript } from './load-typescript.ts';
import { programOf, type Source } from './program.ts';
import type { StaticFinding } from './static-finding.ts';
import { syntaxErrors, typeErrors } from './type-errors.ts';

/** What reading the hook files shows without running them, and what was not looked at, and why. */
export interface CheckedSources {
  readonly found: readonly StaticFinding[];
  /** Hooks that only ever answer with nothing, as `placeKey` writes them: they can rewrite and refuse nothing. */
  readonly silent: ReadonlySet<string>;
  readonly leftOut: readonly string[];
}

/** Reads the files with the compiler of the project. Without one, says which checks were left out. */
export function checkSources(dir: string, files: readonly string[]): CheckedSources {
  if (files.length === 0) return { found: [], silent: new Set(), leftOut: [] };
  const loaded = loadTypeScript(dir);
  if ('why' in loaded) {
    const checks = 'types, illegal decisions, thrown decisions and forgotten returns';
    return { found: [], silent: new Set(), leftOut: [`${checks} were not checked: ${loaded.why}`] };
  }
  const program = programOf(loaded.ts, dir, files);
  const found: StaticFinding[] = [];
  const silent = new Set<string>();
  const leftOut: string[] = [];
  for (const file of files) {
    const tree = program.program.getSourceFile(join(dir, file));
    if (tree === undefined) {
      leftOut.push(`${file} was not read by the compiler`);
      continue;
    }
    const source = { ...program, file, tree };
    const methods = hookMethods(source);
    found.push(...inOne(source, methods));
    for (const method of methods) {
      const isSilent = answersOf(source, method).every((answer) => isNothing(source, answer));
      if (isSilent) silent.add(keyOf(source, method));
    }
  }
  return { found, silent, leftOut };
}

/** How a hook is found again from where its policy was located. */
export function placeKey(file: string, line: number | undefined, point: string): string {
  return `${file}:${line}:${point}`;
}

function keyOf({ tree, file }: Source, { point, body }: HookMethod): string {
  // The name of a function in a property stands before the function.
  const start = body.name === undefined ? body.parent.getStart(tree) : body.name.getStart(tree);
  return placeKey(file, tree.getLineAndCharacterOfPosition(start).line + 1, point);
}

function inOne(source: Source, methods: readonly HookMethod[]): readonly StaticFinding[] {
  const unreadable = syntaxErrors(source);
  if (unreadable.length > 0) return unreadable;
  return [
    ...typeErrors(source),
    ...methods.flatMap((method) => checkAnswers(source, method)),
    ...checkLostDecisions(source),
    ...checkNames(source, methods),
  ];
}
