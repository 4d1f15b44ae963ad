import type * as typescript from 'typescript';
import type { HookPoint } from '../../hooks/agent-hooks.ts';
import { POINTS } from '../../hooks/points.ts';
import { type AnswerKind, DECISION_TYPES, kindsOf } from './answer-type.ts';
import { answersOf, type HookMethod } from './hook-methods.ts';
import type { Source } from './program.ts';
import { findingAt, type Said, type StaticFinding } from './static-finding.ts';

/** Answers of one hook that would be a failure when it is asked. */
export function checkAnswers(source: Source, method: HookMethod): readonly StaticFinding[] {
  if (POINTS[method.point].codec === undefined) return [];
  return answersOf(source, method)
    .flatMap((answer) => branchesOf(source.ts, answer))
    .flatMap((answer) => {
      const said = kindsOf(source, answer).flatMap(
        (kind) => problemOf(source, method.point, kind) ?? [],
      );
      return [...new Map(said.map((one) => [one.what, one])).values()].map((one) =>
        findingAt(source, answer, one),
      );
    });
}

function problemOf(source: Source, point: HookPoint, kind: AnswerKind): Said | undefined {
  const { name = '', types = [] } = POINTS[point].codec ?? {};
  const fix = `Answer with one of ${name}: ${types.join(', ')}, or with nothing`;
  const illegal = (what: string): Said => ({ code: 'illegal-decision', what, fix, member: point });
  if (kind.is === 'unchecked') {
    // In JavaScript nothing has a type until it is looked at, which says nothing about the answer.
    if (!/\.[mc]?ts$/.test(source.file)) return undefined;
    const what = `'${point}' answers with \`any\`, so nobody has checked that it is a decision`;
    return { severity: 'warning', code: 'unchecked-decision', what, fix, member: point };
  }
  if (kind.is === 'other') {
    if (point === 'onError' && kind.text === 'a boolean') return undefined;
    return illegal(`'${point}' answers with ${kind.text}, which is no ${name}`);
  }
  if (types.includes(kind.type)) return undefined;
  const known = DECISION_TYPES.has(kind.type) ? 'is a decision of other points' : 'is no decision';
  return illegal(`'${point}' answers with '${kind.type}', which ${known}`);
}

/** Each answer by itself, so that the finding stands where the mistake is. */
function branchesOf(
  ts: Source['ts'],
  answer: typescript.Expression,
): readonly typescript.Expression[] {
  if (ts.isParenthesizedExpression(answer)) return branchesOf(ts, answer.expression);
  if (!ts.isConditionalExpression(answer)) return [answer];
  return [...branchesOf(ts, answer.whenTrue), ...branchesOf(ts, answer.whenFalse)];
}
