/** Shares from 0 to 1. */
export interface Shares {
  /** Of the points that policies implement, those that were asked. */
  readonly points: number;
  /** Of the cases: at each point that decides, one the policy acted on and one it let through. */
  readonly outcomes: number;
  /** Of the tools that were named, those that a policy was asked about. Absent where none were. */
  readonly tools?: number;
}

/** The least that is to be covered. Default: all of it. */
export type Thresholds = Partial<Shares>;

/** What one policy was asked at one point. */
export interface PointCoverage {
  readonly policy: string;
  readonly point: string;
  readonly asked: number;
  /** How often it gave which kind of decision; `none` for no opinion, `failed` for what is no legal answer. */
  readonly answers: { readonly [kind: string]: number };
  /** Every kind that the point knows. Empty where it answers with no decision. */
  readonly possible: readonly string[];
  /** How often it was asked about which tool. */
  readonly tools: { readonly [tool: string]: number };
}

/** What the tests of some policies have covered. JSON. */
export interface CoverageReport extends Shares {
  readonly rows: readonly PointCoverage[];
  /** What was never seen, one sentence each. */
  readonly missing: readonly string[];
  readonly missingTools: readonly string[];
}

/** Kinds that let the run go on as it would without the policy. */
const PASSING: ReadonlySet<string> = new Set([
  'none',
  'allow',
  'abstain',
  'proceed',
  'accept',
  'keep',
  'release',
  'abort',
]);

export function reportOf(
  rows: readonly PointCoverage[],
  wanted: readonly string[],
): CoverageReport {
  const missingTools = wanted.filter((tool) =>
    rows.every(({ tools }) => !Object.hasOwn(tools, tool)),
  );
  const cases = rows.flatMap(casesOf);
  return {
    points: share(rows.map(({ asked }) => asked > 0)),
    outcomes: share(cases.map(({ seen }) => seen)),
    ...(wanted.length > 0 && { tools: share(wanted.map((tool) => !missingTools.includes(tool))) }),
    rows,
    missing: [
      ...rows.flatMap(missingOf),
      ...missingTools.map((tool) => `no policy was asked about the tool '${tool}'`),
    ],
    missingTools,
  };
}

export function textOf({ rows, missing, ...shares }: CoverageReport): string {
  return [
    sharesText(shares),
    ...rows.map(rowText),
    ...missing.map((sentence) => `missing: ${sentence}`),
  ].join('\n');
}

/** What a report falls short of; nothing where it covers enough. */
export function shortfallOf(report: CoverageReport, least: Thresholds): string | undefined {
  const wanted: Shares = {
    points: least.points ?? 1,
    outcomes: least.outcomes ?? 1,
    ...(report.tools !== undefined && { tools: least.tools ?? 1 }),
  };
  const isCovered =
    report.points >= wanted.points &&
    report.outcomes >= wanted.outcomes &&
    (report.tools ?? 1) >= (wanted.tools ?? 0);
  return isCovered ? undefined : `${textOf(report)}\nwanted: ${sharesText(wanted)}`;
}

interface Case {
  readonly seen: boolean;
  readonly lack: string;
}

/** Where nothing is decided, to have been asked is all there is to see. */
function casesOf({ asked, answers, possible }: PointCoverage): readonly Case[] {
  if (possible.length === 0) return [{ seen: asked > 0, lack: 'was never asked' }];
  const kinds = Object.keys(answers).filter((kind) => kind !== 'failed');
  return [
    { seen: kinds.some((kind) => !PASSING.has(kind)), lack: 'never acted' },
    { seen: kinds.some((kind) => PASSING.has(kind)), lack: 'never let anything through' },
  ];
}

function missingOf(row: PointCoverage): readonly string[] {
  const about = `${row.policy} at ${row.point}`;
  if (row.asked === 0) return [`${about} was never asked`];
  return casesOf(row).flatMap(({ seen, lack }) => (seen ? [] : [`${about} ${lack}`]));
}

function rowText({ policy, point, asked, answers, tools }: PointCoverage): string {
  if (asked === 0) return `${policy} at ${point}: never asked`;
  const about = Object.keys(tools).length === 0 ? '' : `; tools: ${counts(tools)}`;
  // A policy that hangs has been asked, and has said nothing.
  const open = asked - Object.values(answers).reduce((sum, count) => sum + count, 0);
  const said = counts({ ...answers, ...(open > 0 && { unanswered: open }) });
  return `${policy} at ${point}: ${said}${about}`;
}

function counts(of: { readonly [name: string]: number }): string {
  return Object.entries(of)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}

function sharesText({ points, outcomes, tools }: Shares): string {
  const parts = [`points ${percent(points)}`, `outcomes ${percent(outcomes)}`];
  return [...parts, ...(tools === undefined ? [] : [`tools ${percent(tools)}`])].join(', ');
}

function percent(part: number): string {
  return `${Math.round(part * 100)}%`;
}

/** Of nothing, everything is covered. */
function share(seen: readonly boolean[]): number {
  return seen.length === 0 ? 1 : seen.filter(Boolean).length / seen.length;
}
