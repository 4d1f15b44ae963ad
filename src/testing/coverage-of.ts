import { AssertionError } from 'node:assert';
import { checkKeys } from '../errors/check-keys.ts';
import { ConfigError } from '../errors/config-error.ts';
import type { AgentHooks, HookPoint } from '../hooks/agent-hooks.ts';
import { checkPolicies, type NamedPolicy } from '../hooks/check-policies.ts';
import { combine, pointsOf } from '../hooks/plan.ts';
import { POINTS } from '../hooks/points.ts';
import { refuse } from '../hooks/report.ts';
import { isThenable } from '../internal/is-thenable.ts';
import type { Writable } from '../internal/writable.ts';
import {
  type CoverageReport,
  type PointCoverage,
  reportOf,
  shortfallOf,
  type Thresholds,
  textOf,
} from './coverage-report.ts';

export interface CoverageOptions {
  /** The tools that policies are to be asked about. Default: none in particular. */
  readonly tools?: readonly (string | { readonly name: string })[];
}

/** Policies that count what they are asked, and what came of it so far. */
export interface PolicyCoverage<Policies extends readonly AgentHooks<never>[]> {
  /** In the place of those that were given: they answer as those do. */
  readonly policies: Policies;
  readonly report: () => CoverageReport;
  /** The report for people. */
  readonly text: () => string;
  /** Throws an `AssertionError` with the report where less is covered than these shares, 1 by default. */
  readonly assertCovered: (least?: Thresholds) => void;
}

/**
 * Counts what tests ask of policies: at which points, with which answers, about which tools. A policy of a group is
 * counted by itself. What a policy throws, rejects with or illegally answers counts as `failed` and covers nothing.
 * Each call has counts of its own. Throws `ConfigError` for what is no policy.
 *
 * @example
 * const coverage = coverageOf([new RefundLimit()], { tools: ['refund'] });
 * await ask(coverage.policies[0]).preToolUse(toolInvocation('refund', { euros: 5 }));
 * coverage.assertCovered({ outcomes: 0.5 });
 */
export function coverageOf<const Policies extends readonly AgentHooks<never>[]>(
  policies: Policies,
  options: CoverageOptions = {},
): PolicyCoverage<Policies> {
  const names = toolNamesOf(options);
  const rows: PointCoverage[] = [];
  const named = checkPolicies(policies, (index) => `coverageOf: policy ${index + 1}`, refuse);
  // By place: one policy may be in several groups, each time under another name and with other points.
  const counted = named.map((one) => ({ ...one, stand: countedPolicy(one, rows) }));
  const stand = policies.map((policy, index) => {
    const own = counted.filter((one) => one.index === index);
    const [first] = own;
    if (first !== undefined && first.hooks === policy) return first.stand;
    return combine(own.map((one) => ({ ...one.part, hooks: one.stand })));
  });
  const report = (): CoverageReport => structuredClone(reportOf(rows, names));
  return Object.freeze({
    // One for each, with the methods of that one.
    policies: Object.freeze(stand) as readonly unknown[] as Policies,
    report,
    text: () => textOf(report()),
    assertCovered: (least: Thresholds = {}) => {
      checkShares(least);
      const message = shortfallOf(report(), least);
      if (message !== undefined) throw new AssertionError({ message });
    },
  });
}

const OPTIONS = Object.keys({ tools: true } satisfies Record<keyof CoverageOptions, true>);

function toolNamesOf(options: CoverageOptions): readonly string[] {
  checkKeys('coverageOf', options, OPTIONS);
  const tools: unknown = options.tools ?? [];
  if (!Array.isArray(tools)) throw invalid('`tools` is no list', 'Pass tools, or names of tools');
  return tools.map((tool: unknown, index) => {
    const name: unknown = typeof tool === 'string' ? tool : Object(tool).name;
    if (typeof name === 'string') return name;
    throw invalid(`\`tools[${index}]\` is no tool`, 'Pass a tool, or the name of one');
  });
}

const SHARES = Object.keys({
  points: true,
  outcomes: true,
  tools: true,
} satisfies Record<keyof Thresholds, true>);

/** What is no share would be one that everything, or nothing, meets. */
function checkShares(least: Thresholds): void {
  checkKeys('coverageOf: assertCovered', least, SHARES);
  for (const [share, value] of Object.entries(least)) {
    const isShare = typeof value === 'number' && value >= 0 && value <= 1;
    if (value === undefined || isShare) continue;
    throw invalid(`the share of \`${share}\` is no number from 0 to 1`, 'Pass one, such as 0.8');
  }
}

function invalid(what: string, fix: string): ConfigError {
  return new ConfigError('invalid-option', { where: 'coverageOf', what, fix });
}

/** A policy of the same name and settings. Its methods are called on the policy itself, which may have private fields. */
function countedPolicy(
  { hooks, part, name }: NamedPolicy,
  rows: PointCoverage[],
): AgentHooks<never> {
  // A policy without a name of its own is called what its class is.
  const prototype: object | null = Object.getPrototypeOf(hooks);
  const maker: unknown = prototype?.constructor;
  const isLiteral = prototype === null || Object.getPrototypeOf(prototype) === null;
  const counted: object = isLiteral ? {} : Object.create({ constructor: maker });
  for (const key of ['name', 'version', 'order', 'options', 'events'] as const)
    if (hooks[key] !== undefined) Object.assign(counted, { [key]: hooks[key] });
  for (const point of pointsOf(part)) {
    const row = new Row(name.name, point);
    rows.push(row);
    const method = hooks[point] as (...given: unknown[]) => unknown; // whoever asks gives what the point does
    const call = (...given: unknown[]): unknown =>
      row.count(given, () => method.apply(hooks, given));
    // An engine reads how many arguments a method takes.
    Object.defineProperty(call, 'length', { value: method.length });
    Object.assign(counted, { [point]: call });
  }
  return counted;
}

class Row implements PointCoverage {
  readonly policy: string;
  readonly point: HookPoint;
  readonly possible: readonly string[];
  readonly answers: Record<string, number> = {};
  readonly tools: Record<string, number> = {};
  asked = 0;

  constructor(policy: string, point: HookPoint) {
    this.policy = policy;
    this.point = point;
    this.possible = POINTS[point].codec?.types ?? [];
  }

  count([payload]: readonly unknown[], call: () => unknown): unknown {
    this.asked += 1;
    // An event tells of a tool, and asks about none.
    const tool: unknown = this.point === 'onEvent' ? undefined : Object(payload).toolName;
    if (typeof tool === 'string') add(this.tools, tool);
    const failed = (error: unknown): never => {
      add(this.answers, 'failed');
      throw error;
    };
    try {
      const answer = call();
      if (!isThenable(answer)) return this.#answered(answer);
      return Promise.resolve(answer).then((late) => this.#answered(late), failed);
    } catch (error) {
      return failed(error);
    }
  }

  #answered(answer: unknown): unknown {
    add(this.answers, this.#kindOf(answer));
    return answer;
  }

  #kindOf(answer: unknown): string {
    if (answer === undefined) return 'none';
    const read = POINTS[this.point].codec?.read(answer);
    if (read === undefined) return 'answered';
    return 'decision' in read ? read.decision.type : 'failed';
  }
}

function add(counts: Writable<Record<string, number>>, name: string): void {
  const before = Object.hasOwn(counts, name) ? counts[name] : undefined;
  // A tool may be called like what every object has.
  Object.defineProperty(counts, name, {
    value: (before ?? 0) + 1,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}
