import type * as typescript from 'typescript';
import { POINTS } from '../../hooks/points.ts';
import type { Source } from './program.ts';

/** What an expression may be, as far as its type tells. What it leaves open is not in here. */
export type AnswerKind =
  | { readonly is: 'decision'; readonly type: string }
  | { readonly is: 'unchecked' }
  | { readonly is: 'other'; readonly text: string };

/** The `type` of every decision of every point. */
export const DECISION_TYPES: ReadonlySet<string> = new Set(
  Object.values(POINTS).flatMap(({ codec }) => codec?.types ?? []),
);

/** Every kind of value an answer may be, promises followed. Nothing for `undefined`, which is no opinion. */
export function kindsOf(source: Source, answer: typescript.Expression): readonly AnswerKind[] {
  const { ts, checker } = source;
  const given = checker.getTypeAtLocation(answer);
  const type = checker.getAwaitedType(given) ?? given;
  const written = writtenType(ts, answer);
  if (written !== undefined) return [{ is: 'decision', type: written }];
  return (type.isUnion() ? type.types : [type]).flatMap((one) => kindOf(source, one, answer));
}

/** True for what is certainly a decision of some point, and nothing else that has a `type`. */
export function isDecision(source: Source, expression: typescript.Expression): boolean {
  if (isCompanionCall(source.ts, expression)) return true;
  const kinds = kindsOf(source, expression);
  return (
    kinds.length > 0 &&
    kinds.every((kind) => kind.is === 'decision' && DECISION_TYPES.has(kind.type))
  );
}

/** True for an answer that is certainly no opinion. */
export function isNothing({ ts, checker }: Source, answer: typescript.Expression): boolean {
  const given = checker.getTypeAtLocation(answer);
  const { flags } = checker.getAwaitedType(given) ?? given;
  return (flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Void)) !== 0;
}

function kindOf(
  { ts, checker }: Source,
  type: typescript.Type,
  at: typescript.Node,
): readonly AnswerKind[] {
  const {
    Any,
    Null,
    Object: AnObject,
    StringLike,
    NumberLike,
    BooleanLike,
    BigIntLike,
  } = ts.TypeFlags;
  if (type.flags & Any) return [{ is: 'unchecked' }];
  if (type.flags & (Null | StringLike | NumberLike | BooleanLike | BigIntLike))
    return [{ is: 'other', text: primitive(ts, type) }];
  if (!(type.flags & AnObject)) return [];
  // An error has a name and a stack, whatever else it has.
  if (type.getProperty('stack') !== undefined) return [];
  const member = type.getProperty('type');
  if (member === undefined) return [{ is: 'other', text: 'an object without a `type`' }];
  const types = checker.getTypeOfSymbolAtLocation(member, at);
  return (types.isUnion() ? types.types : [types]).flatMap((one) =>
    one.isStringLiteral() ? { is: 'decision' as const, type: one.value } : [],
  );
}

/** `{ type: 'block' }` in a class has the type `string` there, as nothing says that it is one word for ever. */
function writtenType(ts: Source['ts'], answer: typescript.Expression): string | undefined {
  if (!ts.isObjectLiteralExpression(answer)) return undefined;
  for (const property of answer.properties) {
    if (!ts.isPropertyAssignment(property) || property.name.getText() !== 'type') continue;
    return ts.isStringLiteralLike(property.initializer) ? property.initializer.text : undefined;
  }
  return undefined;
}

/** `ToolDecision.block(...)`, also where the types of the package cannot be found. */
function isCompanionCall(ts: Source['ts'], node: typescript.Expression): boolean {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false;
  return /(?:^|\.)[A-Z]\w*Decision$/.test(node.expression.expression.getText());
}

function primitive(ts: Source['ts'], type: typescript.Type): string {
  if (type.flags & ts.TypeFlags.Null) return '`null`';
  if (type.flags & ts.TypeFlags.BooleanLike) return 'a boolean';
  return type.flags & ts.TypeFlags.StringLike ? 'a text' : 'a number';
}
