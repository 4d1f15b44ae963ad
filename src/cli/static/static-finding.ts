import type * as typescript from 'typescript';
import type { Finding, FindingCode } from '../../errors/hook-validation-error.ts';
import type { Source } from './program.ts';

/** A finding of the compiler, and the lines of the member it stands in: one fault is often seen twice there. */
export interface StaticFinding {
  readonly finding: Finding;
  readonly from: number;
  readonly to: number;
  /** The compiler refuses a whole member, for something in it that another finding may name. */
  readonly isWholeMember?: true;
}

export interface Said {
  readonly severity?: 'warning';
  readonly code: FindingCode;
  readonly what: string;
  readonly fix: string;
  readonly member?: string;
}

/** A finding at a node, or at an offset where the compiler gives one. */
export function findingAt(source: Source, at: typescript.Node | number, said: Said): StaticFinding {
  const { tree, file } = source;
  const start = typeof at === 'number' ? at : at.getStart(tree);
  const { line, character } = tree.getLineAndCharacterOfPosition(start);
  const { severity = 'error', code, what, fix, member } = said;
  const finding: Finding = Object.freeze({
    severity,
    code,
    where: file,
    what,
    fix,
    ...(member !== undefined && { member }),
    file,
    line: line + 1,
    column: character + 1,
  });
  return { finding, ...linesAround(source, start) };
}

/** The smallest class member or property of an object around a place. */
function linesAround({ ts, tree }: Source, at: number): { from: number; to: number } {
  let around: typescript.Node = tree;
  const visit = (node: typescript.Node): void => {
    if (node.pos > at || node.end < at) return;
    const isOuter =
      ts.isClassElement(node) ||
      (ts.isObjectLiteralElement(node) && !isInsideMember(ts, node, around));
    if (isOuter) around = node;
    ts.forEachChild(node, visit);
  };
  visit(tree);
  if (around === tree) {
    const { line } = tree.getLineAndCharacterOfPosition(at);
    return { from: line + 1, to: line + 1 };
  }
  return {
    from: tree.getLineAndCharacterOfPosition(around.getStart(tree)).line + 1,
    to: tree.getLineAndCharacterOfPosition(around.end).line + 1,
  };
}

/** Options within `options`, or an object within a method, belong to the member they are in. */
function isInsideMember(ts: Source['ts'], node: typescript.Node, around: typescript.Node): boolean {
  if (!ts.isClassElement(around) && !ts.isObjectLiteralElement(around)) return false;
  return node.pos >= around.pos && node.end <= around.end;
}
