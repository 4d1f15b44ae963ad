import ts from 'typescript';
import { place, type Source, walk } from './read-sources.ts';

/** `any` switches the compiler off for everything it touches. `unknown` does not. */
export function anyViolations(sources: readonly Source[]): string[] {
  return sources.flatMap(({ path, tree }) => {
    const violations: string[] = [];
    walk(tree, (node) => {
      if (node.kind === ts.SyntaxKind.AnyKeyword) violations.push(`${place(path, tree, node)} any`);
    });
    return violations;
  });
}
