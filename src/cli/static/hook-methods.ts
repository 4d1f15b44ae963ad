import type * as typescript from 'typescript';
import type { HookPoint } from '../../hooks/agent-hooks.ts';
import { isHookPoint } from '../../hooks/points.ts';
import type { Source } from './program.ts';

export type Owner = typescript.ClassLikeDeclaration | typescript.ObjectLiteralExpression;
type Body = typescript.MethodDeclaration | typescript.FunctionExpression | typescript.ArrowFunction;

/** A hook as it is written down. */
export interface HookMethod {
  readonly point: HookPoint;
  readonly owner: Owner;
  readonly body: Body;
}

/** Every hook of a file, in classes and in literals. */
export function hookMethods({ ts, tree }: Source): readonly HookMethod[] {
  const found: HookMethod[] = [];
  walk(ts, tree, (node) => {
    if (!ts.isClassLike(node) && !ts.isObjectLiteralExpression(node)) return;
    for (const member of ts.isClassLike(node) ? node.members : node.properties) {
      const name =
        member.name !== undefined && ts.isIdentifier(member.name) ? member.name.text : '';
      const body = bodyOf(ts, member);
      if (body !== undefined && isHookPoint(name)) found.push({ point: name, owner: node, body });
    }
  });
  return found;
}

/** What a function answers with: each `return` of its own, or the expression of an arrow. */
export function answersOf(
  { ts }: Source,
  { body: { body } }: HookMethod,
): readonly typescript.Expression[] {
  if (body === undefined) return [];
  if (!ts.isBlock(body)) return [body];
  const answers: typescript.Expression[] = [];
  const visit = (node: typescript.Node): void => {
    if (ts.isFunctionLike(node) || ts.isClassLike(node)) return;
    if (ts.isReturnStatement(node) && node.expression !== undefined) answers.push(node.expression);
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(body, visit);
  return answers;
}

export function walk(
  ts: Source['ts'],
  node: typescript.Node,
  visit: (node: typescript.Node) => void,
): void {
  visit(node);
  ts.forEachChild(node, (child) => walk(ts, child, visit));
}

function bodyOf(ts: Source['ts'], member: typescript.Node): Body | undefined {
  if (ts.isMethodDeclaration(member))
    return member.asteriskToken === undefined ? member : undefined;
  if (!ts.isPropertyAssignment(member) && !ts.isPropertyDeclaration(member)) return undefined;
  const { initializer } = member;
  if (initializer === undefined) return undefined;
  return ts.isArrowFunction(initializer) || ts.isFunctionExpression(initializer)
    ? initializer
    : undefined;
}
