import type { AgentHooks, HookPoint } from '../../hooks/agent-hooks.ts';
import { partsOf } from '../../hooks/plan.ts';

/** What the code of a policy compares with: inputs made of it get further than random ones. */
export interface Words {
  /** The texts in quotes. */
  readonly texts: readonly string[];
  /** Names that may be those of fields. */
  readonly names: readonly string[];
  readonly numbers: readonly number[];
  /** What may be repeated to make a regular expression go back: the characters its code speaks of. */
  readonly pumps: readonly string[];
}

const MAX_SOURCE = 20_000;
const MAX_WORDS = 40;

/** Reads the method and its class, as far as they can be read. */
export function wordsOf(policy: AgentHooks<never>, point: HookPoint): Words {
  const source = partsOf(policy)
    .map(({ hooks }) => `${String(hooks[point])}\n${classOf(hooks)}`)
    .join('\n')
    .slice(0, MAX_SOURCE);
  const texts = all(
    source,
    /'((?:[^'\\\n]|\\.){1,60})'|"((?:[^"\\\n]|\\.){1,60})"|`([^`$\\]{1,60})`/g,
  );
  const names = all(source, /\b([a-z][A-Za-z0-9_]{1,30})\b/g).filter((name) => !KEYWORDS.has(name));
  const numbers = all(source, /(?<![\w.])(\d{1,9}(?:\.\d{1,6})?)(?![\w.])/g).map(Number);
  const patterns = all(
    source,
    /(?<=[=(,:[!&|?{};]\s*|return\s+)\/((?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/[a-z]*/g,
  );
  return {
    texts,
    names,
    numbers: [...new Set(numbers.flatMap((number) => [number - 1, number, number + 1]))],
    pumps: pumpsOf(patterns.join('')),
  };
}

function classOf(hooks: object): string {
  const maker: unknown = hooks.constructor;
  // Of a literal it is `Object`, which says nothing.
  return typeof maker === 'function' && maker !== Object ? String(maker) : '';
}

function all(source: string, pattern: RegExp): readonly string[] {
  const found = [...source.matchAll(pattern)].map(([, ...groups]) => groups.find((one) => one));
  return [...new Set(found.filter((one) => one !== undefined))].slice(0, MAX_WORDS);
}

const CLASSES: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\\w|a-z/i, ['a']],
  [/\\d|0-9/, ['0']],
  [/\\s/, [' ', '\t']],
  [/\\W/, ['!']],
  [/\./, ['a', '.']],
];

/** The characters a pattern names, and one of each class it names. */
function pumpsOf(patterns: string): readonly string[] {
  const named = CLASSES.flatMap(([mark, pumps]) => (mark.test(patterns) ? pumps : []));
  const literal = patterns.replace(/\\[a-zA-Z]/g, '').match(/[^\\()[\]{}*+?^$|]/g) ?? [];
  return [...new Set([...named, ...literal])].slice(0, MAX_WORDS);
}

const KEYWORDS: ReadonlySet<string> = new Set(
  (
    'async await break case catch class const constructor continue default delete else export extends false finally for ' +
    'from function get if import in instanceof let new null of override private readonly return set static super ' +
    'switch this throw true try typeof undefined var void while yield'
  ).split(' '),
);
