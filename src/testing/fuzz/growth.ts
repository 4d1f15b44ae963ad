import type { JsonValue } from '../../protocol/json.ts';
import { callDirectly } from './call-directly.ts';
import type { Fault, FuzzInput } from './fault.ts';
import { inputsOf } from './inputs.ts';
import type { ToolFacts } from './options.ts';
import { askedWith, type Subject } from './subject.ts';
import type { Fc } from './texts.ts';
import { mapTexts } from './varied.ts';
import type { Words } from './words.ts';

/** What is repeated, by how much harm it has done; what the code of the policy speaks of comes first. */
const PUMPS: readonly string[] = [
  'a',
  ' ',
  '0',
  'a ',
  '.',
  '-',
  ',',
  '\n',
  '\t',
  '@',
  'aA',
  '/',
  '"',
  '<',
  '(',
];
const ENDS: readonly string[] = ['!', ''];
/** Below it a time says nothing. */
const NOISE_MS = 0.03;
/** A call may take so long while its growth is looked at. */
const STEP_MS = 15;
/** From here on a growth counts. */
const SLOW_MS = 8;
/** Ten times the text, fifty times the time: anything steeper than that is no accident. */
const EXPONENT = 1.7;
const MAX_LENGTH = 6_000;

interface Point {
  readonly length: number;
  readonly ms: number;
}

/** How a search ends: with the fault, or with nothing found before all was tried or the time was over. */
export interface GrowthSearch {
  readonly fc: Fc;
  readonly subject: Subject;
  readonly words: Words;
  /** By `performance.now`. */
  readonly until: number;
  readonly asking?: (input: FuzzInput) => void;
}

/**
 * Looks for texts whose time explodes as they grow, such as those that send a regular expression back and forth. A
 * call in this thread cannot be interrupted, so each is made only as long as the ones before it allow.
 */
export async function findSlowGrowth(search: GrowthSearch): Promise<Fault | undefined> {
  const bases = basesOf(search);
  const pumps = [...new Set([...search.words.pumps, ...PUMPS])];
  for (const pump of pumps) {
    for (const end of ENDS) {
      for (const base of bases) {
        if (performance.now() > search.until) return undefined;
        const fault = await growthOf(search, { pump, end, base });
        if (fault !== undefined) return fault;
      }
    }
  }
  return undefined;
}

interface Text {
  readonly pump: string;
  readonly end: string;
  readonly base: Base;
}

/** What the text is put into: an example, a call of one of the tools, or of one that the policy names. */
type Base =
  | { readonly example: JsonValue }
  | { readonly tool: ToolFacts }
  | { readonly name: string };

const MAX_BASES = 4;

function basesOf({ subject, words }: GrowthSearch): readonly Base[] {
  const { tools, examples } = subject.setting;
  const bases: Base[] = examples.map((example) => ({ example: example as JsonValue })); // A payload is JSON.
  bases.push(...tools.map((tool) => ({ tool })));
  const isCall = subject.point.endsWith('ToolUse');
  if (tools.length === 0)
    bases.push(...(isCall ? words.texts.map((name) => ({ name })) : []), { name: '' });
  return bases.slice(0, MAX_BASES);
}

async function growthOf(search: GrowthSearch, text: Text): Promise<Fault | undefined> {
  const points: Point[] = [];
  for (let length = 2; length <= MAX_LENGTH; length = nextLength(points)) {
    const input = inputWith(search, text, length);
    const ms = await fastest(search, input);
    points.push({ length, ms });
    if (ms >= SLOW_MS) {
      return await confirmed(search, text, points);
    }
    if (performance.now() > search.until) return undefined;
  }
  return undefined;
}

/** One that is slow is measured again: whatever else the machine did is not the text's doing. */
async function fastest(search: GrowthSearch, input: FuzzInput): Promise<number> {
  const first = await timed(search, input);
  return first < SLOW_MS / 4 ? first : Math.min(first, await timed(search, input));
}

async function timed({ subject, asking }: GrowthSearch, input: FuzzInput): Promise<number> {
  const asked = askedWith(subject, input);
  if (asked === undefined) return 0;
  asking?.(input);
  const { syncMs } = await callDirectly(subject, asked, 0);
  return syncMs;
}

/**
 * So long that the time stays within bounds even if it goes on growing as it did: small steps while nothing can be
 * measured and a text is short, as then it may double with each character.
 */
function nextLength(points: readonly Point[]): number {
  const [before, last] = points.slice(-2);
  const { length, ms } = last ?? { length: 2, ms: 0 };
  if (length < 8) return length + 2;
  const usual = length < 32 ? length + 4 : Math.ceil(length * 1.25);
  if (before === undefined || ms < NOISE_MS || ms <= before.ms) return usual;
  const rate = Math.log(ms / Math.max(before.ms, NOISE_MS / 10)) / (length - before.length);
  const room = Math.floor(Math.log(STEP_MS / ms) / rate);
  return Math.min(usual, length + Math.max(1, room));
}

/**
 * Measures both ends of the steep part again, each by the fastest of a few: the machine may have done something else
 * for a while, and a policy is not slow for that.
 */
async function confirmed(
  search: GrowthSearch,
  text: Text,
  points: readonly Point[],
): Promise<Fault | undefined> {
  const last = points.at(-1);
  const from = points.findLast(({ ms }) => last !== undefined && ms < last.ms / 4);
  if (last === undefined || from === undefined) return undefined;
  const [short, long] = [
    inputWith(search, text, from.length),
    inputWith(search, text, last.length),
  ];
  const [fast, slow] = [await best(search, short), await best(search, long)];
  const exponent =
    Math.log(slow / Math.max(fast, NOISE_MS / 10)) / Math.log(last.length / from.length);
  if (slow < SLOW_MS / 2 || exponent < EXPONENT) return undefined;
  const bare: FuzzInput = { ...long, messages: [] };
  const input = (await best(search, bare)) >= slow / 2 ? bare : long;
  return { kind: 'slow-growth', says: describe(points), input };
}

async function best(search: GrowthSearch, input: FuzzInput): Promise<number> {
  const times: number[] = [];
  for (let time = 0; time < 4; time += 1) times.push(await timed(search, input));
  return Math.min(...times);
}

function describe(points: readonly Point[]): string {
  const rows = points.slice(-4).map(({ length, ms }) => `${ms.toFixed(2)} ms at ${length}`);
  return `its time grows faster than the text: ${rows.join(', ')} characters`;
}

function inputWith({ fc, subject, words }: GrowthSearch, text: Text, length: number): FuzzInput {
  const { pump, end, base } = text;
  const long = pump.repeat(Math.ceil(length / pump.length)).slice(0, length) + end;
  const setting = { ...subject.setting, examples: [], tools: 'tool' in base ? [base.tool] : [] };
  const known = { ...words, texts: 'name' in base && base.name !== '' ? [base.name] : [] };
  const source = { fc, words: known, setting, maxLength: MAX_LENGTH, texts: fc.constant(long) };
  const [input] = fc.sample(inputsOf(subject.point, source), { seed: 7, numRuns: 1 });
  if (input === undefined) throw new Error('fast-check gave no sample');
  return 'example' in base ? { ...input, payload: mapTexts(base.example, () => long) } : input;
}
