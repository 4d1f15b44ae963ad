import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

/** One file under `src`, parsed once for every rule. */
export interface Source {
  /** Below `src`, with forward slashes: `loop/step.ts`. */
  readonly path: string;
  readonly tree: ts.SourceFile;
  readonly imports: readonly Import[];
}

/** Any way one file names another: type imports, re-exports, `import()` and `import('...').Type` included. */
export interface Import {
  readonly specifier: string;
  /** What a relative one names, below `src`. Undefined for packages and builtins. */
  readonly target: string | undefined;
  /** Where it stands, as `src/loop/step.ts:3`. */
  readonly at: string;
}

export function readSources(root: string): readonly Source[] {
  const folder = join(root, 'src');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => name.replaceAll('\\', '/'))
    .sort()
    .map((path) => parse(path, readFileSync(join(folder, path), 'utf8')));
}

/** Calls back on every node below this one, itself included. */
export function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

/** Where a node stands, as `src/loop/step.ts:3`. */
export function place(path: string, tree: ts.SourceFile, node: ts.Node): string {
  return `src/${path}:${tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1}`;
}

function parse(path: string, text: string): Source {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
  const imports: Import[] = [];
  walk(tree, (node) => {
    const name = importedBy(node);
    if (name === undefined || !ts.isStringLiteralLike(name)) return;
    const relative = name.text.startsWith('.');
    const target = relative ? join(dirname(path), name.text).replaceAll('\\', '/') : undefined;
    imports.push({ specifier: name.text, target, at: place(path, tree, node) });
  });
  return { path, tree, imports };
}

function importedBy(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    return node.argument.literal;
  }
  const dynamic = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
  return dynamic ? node.arguments[0] : undefined;
}
