import type * as typescript from 'typescript';
import { type HookMethod, type Owner, walk } from './hook-methods.ts';
import type { Source } from './program.ts';
import { findingAt, type StaticFinding } from './static-finding.ts';

/** Policies that keep memory or ask a person, under a name that the engine will not take for that. */
export function checkNames(
  source: Source,
  methods: readonly HookMethod[],
): readonly StaticFinding[] {
  const { ts } = source;
  const owners = new Map<Owner, StaticFinding>();
  for (const { owner, body, point } of methods) {
    if (owners.has(owner) || isNamed(ts, owner)) continue;
    walk(ts, body, (node) => {
      const what = needOf(ts, owner, node);
      if (what === undefined || owners.has(owner)) return;
      const fix =
        'Give it a `name` of its own: the records of others would be found under any other';
      const said = {
        severity: 'warning',
        code: 'unnamed-policy',
        what,
        fix,
        member: point,
      } as const;
      owners.set(owner, findingAt(source, node, said));
    });
  }
  return [...owners.values()];
}

function needOf(ts: Source['ts'], owner: Owner, node: typescript.Node): string | undefined {
  if (!ts.isPropertyAccessExpression(node)) return undefined;
  const member = node.name.text;
  if (member === 'memory' && /^(?:ctx|context|c)$/.test(node.expression.getText()))
    return 'a policy without a `name` uses `ctx.memory`, which is then a failure';
  // A class has a name that is good enough to be asked again under.
  if (member === 'requiresConfirmation' && !ts.isClassLike(owner))
    return 'a policy without a `name` asks for an approval, which is then a failure';
  return undefined;
}

/** Also what may well have one: a class that extends another than `Policy`, or a literal with a spread. */
function isNamed(ts: Source['ts'], owner: Owner): boolean {
  if (ts.isObjectLiteralExpression(owner)) {
    return owner.properties.some(
      (property) => ts.isSpreadAssignment(property) || property.name?.getText() === 'name',
    );
  }
  const base = owner.heritageClauses?.find(({ token }) => token === ts.SyntaxKind.ExtendsKeyword);
  const extended = base?.types[0]?.expression.getText() ?? 'Policy';
  if (!/(?:^|\.)Policy$/.test(extended)) return true;
  return owner.members.some((member) => member.name?.getText() === 'name');
}
