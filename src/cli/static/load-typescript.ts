import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as typescript from 'typescript';
import { describeThrown } from '../../internal/describe-thrown.ts';

export type TypeScript = typeof typescript;

/** The compiler that the project itself uses, as its version decides what is an error there. */
export function loadTypeScript(
  dir: string,
): { readonly ts: TypeScript } | { readonly why: string } {
  const require = createRequire(join(dir, 'package.json'));
  try {
    const ts: TypeScript = require('typescript');
    // From version 7 on the package holds no compiler that a program could call.
    if (typeof ts.createProgram === 'function') return { ts };
    return {
      why: `TypeScript ${ts.version ?? 'as installed'} has no compiler API; install 5 or 6`,
    };
  } catch (thrown) {
    const isAbsent = Reflect.get(Object(thrown), 'code') === 'MODULE_NOT_FOUND';
    return {
      why: isAbsent
        ? 'the project has no `typescript`; install it to have them'
        : `\`typescript\` cannot be loaded: ${describeThrown(thrown).name}`,
    };
  }
}
