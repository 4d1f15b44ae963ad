import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { place, type Source, walk } from './read-sources.ts';

const limits = { file: 400, testFile: 500, function: 60 };

/** Files that no one can hold in their head. */
export function fileSizeViolations(sources: readonly Source[]): string[] {
  return sources.flatMap(({ path, tree }) => tooLong(`src/${path}`, tree.text, limits.file));
}

export function testSizeViolations(root: string): string[] {
  return readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => {
      const text = readFileSync(join(root, 'test', name), 'utf8');
      return tooLong(`test/${name}`, text, limits.testFile);
    });
}

/** Whatever has a body: functions, methods, constructors, accessors and arrows. Type declarations have none. */
export function functionSizeViolations(sources: readonly Source[]): string[] {
  return sources.flatMap(({ path, tree }) => {
    const violations: string[] = [];
    walk(tree, (node) => {
      if (!ts.isFunctionLike(node) || !('body' in node) || node.body === undefined) return;
      const lines = countLines(node.getText(tree));
      if (lines < limits.function) return;
      const name = nameOf(node);
      violations.push(
        `${place(path, tree, node)} ${name} has ${lines} lines, the limit is ${limits.function}`,
      );
    });
    return violations;
  });
}

function tooLong(path: string, text: string, limit: number): string[] {
  const lines = countLines(text);
  return lines < limit ? [] : [`${path} has ${lines} lines, the limit is ${limit}`];
}

function countLines(text: string): number {
  return text.replace(/\n$/, '').split('\n').length;
}

function nameOf(node: ts.SignatureDeclaration): string {
  const owner = node.name === undefined && 'name' in node.parent ? node.parent : node;
  if (ts.isConstructorDeclaration(node)) return 'the constructor';
  return 'name' in owner && owner.name !== undefined
    ? (owner.name as ts.Node).getText()
    : 'a function';
}
