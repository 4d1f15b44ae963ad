import type * as typescript from 'typescript';
import { isDecision } from './answer-type.ts';
import { walk } from './hook-methods.ts';
import type { Source } from './program.ts';
import { findingAt, type StaticFinding } from './static-finding.ts';

/** Decisions that never become an answer: thrown ones, and those that nobody returns. */
export function checkLostDecisions(source: Source): readonly StaticFinding[] {
  const { ts, tree } = source;
  const findings: StaticFinding[] = [];
  walk(ts, tree, (node) => {
    if (ts.isThrowStatement(node) && isDecision(source, node.expression)) {
      const what =
        'a decision is thrown, which counts as a failure of the policy, not as its answer';
      findings.push(findingAt(source, node, { code: 'thrown-decision', what, fix: 'Return it' }));
    }
    if (!ts.isExpressionStatement(node)) return;
    for (const value of valuesOf(ts, node.expression)) {
      if (!isDecision(source, value)) continue;
      const what = 'a decision is made and not returned, so the policy answers with nothing';
      findings.push(findingAt(source, value, { code: 'forgotten-return', what, fix: 'Return it' }));
    }
  });
  return findings;
}

/** The calls whose value a statement drops: `a && f()` drops that of `f`, and `void f()` does so on purpose. */
function valuesOf(
  ts: Source['ts'],
  expression: typescript.Expression,
): readonly typescript.Expression[] {
  if (ts.isParenthesizedExpression(expression) || ts.isAwaitExpression(expression))
    return valuesOf(ts, expression.expression);
  if (ts.isConditionalExpression(expression))
    return [...valuesOf(ts, expression.whenTrue), ...valuesOf(ts, expression.whenFalse)];
  if (ts.isBinaryExpression(expression)) {
    const { AmpersandAmpersandToken, BarBarToken, QuestionQuestionToken } = ts.SyntaxKind;
    const isChoice = [AmpersandAmpersandToken, BarBarToken, QuestionQuestionToken].some(
      (kind) => kind === expression.operatorToken.kind,
    );
    return isChoice ? valuesOf(ts, expression.right) : [];
  }
  return ts.isCallExpression(expression) ? [expression] : [];
}
