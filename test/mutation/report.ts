import type { Place } from './draw-mutants.ts';

export interface Judged extends Place {
  readonly status: string;
  /** What became of it at first, where it was judged again: by tests that may have been written for it. */
  readonly first?: string;
}

/** What is to be caught at least, in percent. */
export const MIN_SCORE = 80;

/** How far from the mean 95 % of a normal distribution lie, in standard deviations. */
const Z = 1.959964;
const CAUGHT = new Set(['Killed', 'Timeout']);
const MISSED = new Set(['Survived', 'NoCoverage']);

export function isCaught({ status }: Judged): boolean {
  return CAUGHT.has(status);
}

export function isMissed({ status }: Judged): boolean {
  return MISSED.has(status);
}

/** As they were when nobody had written a test for one of them: a fair sample of all. */
export function asFirstJudged(mutants: readonly Judged[]): readonly Judged[] {
  return mutants.map((mutant) => ({ ...mutant, status: mutant.first ?? mutant.status }));
}

/** Caught mutants in percent of those that a test could catch. */
export function scoreOf(mutants: readonly Judged[]): number {
  const { caught, missed } = count(mutants);
  return caught + missed === 0 ? 100 : (100 * caught) / (caught + missed);
}

/** Where the score of all mutants is by a random sample of them, in percent, with 95 % confidence: Wilson's interval. */
export function intervalOf(caught: number, judged: number): readonly [low: number, high: number] {
  const share = caught / judged;
  const middle = share + Z ** 2 / (2 * judged);
  const off = Z * Math.sqrt((share * (1 - share)) / judged + Z ** 2 / (4 * judged ** 2));
  const scale = 100 / (1 + Z ** 2 / judged);
  return [(middle - off) * scale, (middle + off) * scale];
}

/** @param total how many mutants there are, judged or not */
export function reportOf(mutants: readonly Judged[], total: number): string {
  return [
    '# Mutation testing',
    '',
    'Made by `npm run mutation`, of `src/decisions`, `src/hooks` and `src/loop`. Stryker makes mutants, one change to one place',
    'of the sources each, and the tests of `test/mutation/vitest.config.ts` judge them: those of these folders, of agents and',
    'of the acceptance, without the slow ones, so what only those catch counts as not caught.',
    '',
    ...summary(mutants, total),
    '',
    '| folder | caught | not | % |',
    '|---|---:|---:|---:|',
    ...table(mutants),
    '',
    '## Not caught',
    '',
    'Changes that no judging test notices, among them those that nobody could notice.',
    '',
    ...mutants.filter(isMissed).map(line).sort(),
    '',
  ].join('\n');
}

function summary(mutants: readonly Judged[], total: number): string[] {
  const { caught, missed } = count(mutants);
  const judged = caught + missed;
  const all = mutants.length === total;
  const of = (status: string) => mutants.filter((mutant) => mutant.status === status).length;
  return [
    ...(all
      ? [`**${scoreOf(mutants).toFixed(1)} %** of all mutants that a test could catch were caught.`]
      : estimate(mutants)),
    '',
    `- mutants there are: ${total}`,
    `- ${all ? 'all of them were tried' : `of these drawn at random, over all files: ${mutants.length}`}`,
    `- judged: ${judged}`,
    `- caught: ${caught}, ${of('Timeout')} of them because the tests took too long`,
    `- not caught: ${missed}, ${of('NoCoverage')} of them in code that no judging test runs`,
    `- not judged: ${of('Ignored')} of values made when a module is loaded, ${mutants.length - judged - of('Ignored')} that broke the run`,
  ];
}

function estimate(mutants: readonly Judged[]): string[] {
  const firstJudged = asFirstJudged(mutants);
  const { caught, missed } = count(firstJudged);
  const [low, high] = intervalOf(caught, caught + missed);
  const sample = `**${scoreOf(firstJudged).toFixed(1)} %** of a random sample were caught (${caught} of ${caught + missed})`;
  const all = `of all mutants it is ${low.toFixed(1)} to ${high.toFixed(1)} % with`;
  if (mutants.every(({ first }) => first === undefined))
    return [`${sample}; ${all}`, '95 % confidence.'];
  return [
    `${sample}; ${all}`,
    '95 % confidence. That is by the tests that there were when each was first judged. With those written since, for what this',
    `sample showed, it is ${scoreOf(mutants).toFixed(1)} % of the sample, which says less of all the others.`,
  ];
}

function table(mutants: readonly Judged[]): string[] {
  return ['src/decisions', 'src/hooks', 'src/loop'].map((folder) => {
    const inside = mutants.filter((mutant) => mutant.fileName.startsWith(`${folder}/`));
    const { caught, missed } = count(inside);
    return `| \`${folder}\` | ${caught} | ${missed} | ${scoreOf(inside).toFixed(0)} |`;
  });
}

function count(mutants: readonly Judged[]) {
  const caught = mutants.filter(isCaught).length;
  return { caught, missed: mutants.filter(isMissed).length };
}

function line(mutant: Judged): string {
  const { fileName, location, mutatorName, replacement, status } = mutant;
  const short = replacement.replaceAll(/\s+/g, ' ').slice(0, 60);
  const code = short.includes('`') ? `\`\`\` ${short} \`\`\`` : `\`${short}\``;
  const unrun = status === 'NoCoverage' ? ', no test' : '';
  return `- ${fileName}:${location.start.line + 1} ${mutatorName}${unrun}: ${code}`;
}
