import ts from 'typescript';
import { place, type Source, walk } from './read-sources.ts';

/** The same input gives the same output here: that is what replay, resume and durable engines stand on. */
const pureFile = /^(decisions\/|loop\/(step|(state|event|effect)\.ts$))/;

const impureGlobals: ReadonlySet<string> = new Set([
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'fetch',
  'crypto',
  'performance',
  'process',
]);
const impureMembers: ReadonlySet<string> = new Set(['Date.now', 'Math.random']);

/** No clock, chance, timer, process or I/O in the pure files. Time and ids come in with the event. */
export function purityViolations(sources: readonly Source[]): string[] {
  return sources.filter(({ path }) => pureFile.test(path)).flatMap(inOne);
}

function inOne({ path, tree, imports }: Source): string[] {
  const violations = imports
    .filter(({ target, specifier }) => target === undefined && specifier !== 'zod')
    .map(({ at, specifier }) => `${at} imports ${specifier} in a pure file`);
  const own = declaredNames(tree);
  walk(tree, (node) => {
    const impure = impurity(node);
    if (impure === undefined || own.has(impure)) return;
    violations.push(`${place(path, tree, node)} uses ${impure} in a pure file`);
  });
  return violations;
}

function impurity(node: ts.Node): string | undefined {
  if (ts.isPropertyAccessExpression(node)) {
    const member = `${node.expression.getText()}.${node.name.text}`.replace(/^globalThis\./, '');
    return impureMembers.has(member) || impureGlobals.has(member) ? member : undefined;
  }
  if (ts.isNewExpression(node) && node.expression.getText() === 'Date' && !node.arguments?.length) {
    return 'new Date()';
  }
  const isUse = ts.isIdentifier(node) && ts.isExpression(node) && !isMemberName(node);
  return isUse && impureGlobals.has(node.text) ? node.text : undefined;
}

/** `x.process`, `{ process: 1 }`, `process(): void`: a name of its own, unless the short form `{ process }`. */
function isMemberName(node: ts.Identifier): boolean {
  const { parent } = node;
  return 'name' in parent && parent.name === node && !ts.isShorthandPropertyAssignment(parent);
}

/** A parameter or constant of the same name hides the global, so its uses are innocent. */
function declaredNames(tree: ts.SourceFile): ReadonlySet<string> {
  const names = new Set<string>();
  walk(tree, (node) => {
    const declares =
      ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isBindingElement(node);
    if (declares && ts.isIdentifier(node.name)) names.add(node.name.text);
  });
  return names;
}
