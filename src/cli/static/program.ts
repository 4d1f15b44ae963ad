import { join } from 'node:path';
import type * as typescript from 'typescript';
import type { TypeScript } from './load-typescript.ts';

/** The hook files as the compiler of the project reads them. */
export interface Program {
  readonly ts: TypeScript;
  readonly checker: typescript.TypeChecker;
  readonly program: typescript.Program;
  /** Without a config of the project's own, what its code may use is a guess. */
  readonly hasConfig: boolean;
}

/** One file of it. `file` is its path below the project. */
export interface Source extends Program {
  readonly file: string;
  readonly tree: typescript.SourceFile;
}

export function programOf(ts: TypeScript, dir: string, files: readonly string[]): Program {
  const config = ts.findConfigFile(dir, ts.sys.fileExists);
  const options = config === undefined ? defaults(ts) : configured(ts, config);
  const program = ts.createProgram({
    rootNames: files.map((file) => join(dir, file)),
    // Nothing is written, whatever the project builds; plain JavaScript is read for the types of its answers.
    options: {
      ...options,
      allowJs: true,
      noEmit: true,
      composite: false,
      incremental: false,
      declaration: false,
      declarationMap: false,
      emitDeclarationOnly: false,
      allowImportingTsExtensions: true,
      skipLibCheck: true,
    },
  });
  return { ts, program, checker: program.getTypeChecker(), hasConfig: config !== undefined };
}

function configured(ts: TypeScript, config: string): typescript.CompilerOptions {
  const parsed = ts.getParsedCommandLineOfConfigFile(config, undefined, {
    ...ts.sys,
    // Reported by the next build of the project itself; the checks then go by the defaults.
    onUnRecoverableConfigFileDiagnostic: () => undefined,
  });
  return parsed?.options ?? defaults(ts);
}

function defaults(ts: TypeScript): typescript.CompilerOptions {
  return {
    strict: true,
    noImplicitAny: false,
    noImplicitOverride: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
  };
}
