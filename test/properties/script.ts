import fc from 'fast-check';

/*
 * One random run, as data: what the model answers, what the policies and tools do, what people say, and when the
 * process is cancelled or dies. Small JSON, so that a failure can be read and played again.
 */

export const MODES = ['run', 'stream held', 'stream live', 'runStep'] as const;
export type Mode = (typeof MODES)[number];

export const STORES = ['memory', 'sqlite'] as const;
export type StoreKind = (typeof STORES)[number];

/** `look` reads, `save` may be repeated, the others must not run twice; `wire` runs beside others, `ask` asks first. */
const TOOLS = ['look', 'save', 'pay', 'wire', 'ask'] as const;
const ARGUMENTS = ['', ' blank', ' cut', ' list', ' misfit', ' proto'] as const;

/** A tool and how its arguments are written, such as `pay cut`. `nope` is no tool. */
export type ScriptedCall = `${(typeof TOOLS)[number] | 'nope'}${(typeof ARGUMENTS)[number]}`;

const PLAIN_ANSWERS = [
  'text',
  'thoughtful text',
  'empty',
  'cut text',
  'filtered',
  'refused',
  'error finish',
  'throws',
  'garbage',
  'breaks off',
  'slow text',
] as const;

export type Answer =
  | (typeof PLAIN_ANSWERS)[number]
  | {
      readonly calls: readonly ScriptedCall[];
      readonly text?: true;
      readonly reasoning?: true;
      readonly finish?: 'length' | 'stop';
    };

const FAILING = ['throw', 'reject', 'hang', 'late', 'illegal'] as const;

const MOVES = {
  onTurnStart: ['none', 'proceed', 'block', 'mutate', ...FAILING],
  onUserMessage: ['none', 'proceed', 'modify', 'block', 'mutate', ...FAILING],
  preLlmRequest: ['none', 'proceed', 'modify', 'misfit', 'block', 'mutate', ...FAILING],
  onLlmResponse: [
    ...['none', 'accept', 'modify', 'drop calls', 'add call', 'block', 'mutate'],
    ...['retry', 'retry', 'retry', ...FAILING],
  ],
  preToolUse: [
    ...['none', 'allow', 'abstain', 'modify', 'misfit', 'block', 'mutate', 'retry'],
    ...['confirm', 'confirm', 'confirm briefly', 'confirm by boss', ...FAILING],
  ],
  postToolUse: ['none', 'keep', 'modify', 'mutate', ...FAILING],
  onOutgoingMessage: ['none', 'proceed', 'modify', 'block', 'mutate', ...FAILING],
  onEvent: ['none', ...FAILING],
} as const satisfies { readonly [point: string]: readonly string[] };

export type Point = keyof typeof MOVES;
export const SCRIPTED_POINTS = Object.keys(MOVES) as Point[];

/** What one policy does, call by call; after the last move it has no opinion. */
export interface PolicyScript {
  readonly moves: { readonly [point in Point]?: readonly string[] };
  /** Answers with a promise. */
  readonly async?: true;
  /** The failure option of every point it implements; left out, each has its own default. */
  readonly failure?: 'open' | 'closed';
}

const TOOL_MOVES = ['ok', 'throw', 'tool error', 'hang', 'late', 'slow', 'heeds', 'odd'] as const;
export type ToolMove = (typeof TOOL_MOVES)[number];

const PEOPLE = [
  ...['approve', 'deny', 'edit', 'misfit', 'one', 'stranger', 'wrong id', 'twice'],
  ...['expire', 'supersede', 'cancel', 'nothing'],
] as const;
export type Person = (typeof PEOPLE)[number];

/** What is done with a turn that a step, or an ended process, left open. */
const PICKUPS = ['resume', 'late resume', 'message', 'cancel', 'step'] as const;
export type Pickup = (typeof PICKUPS)[number];

/**
 * `die`: the store is gone for this process. `freeze`: the process stands still for ever. `take over`: it is taken
 * for dead and goes on beside the next. `fail`: one commit is not written. `lose`: one is, and its answer is lost.
 */
const FAULTS = ['cancel', 'abort', 'die', 'freeze', 'take over', 'fail', 'lose', 'busy'] as const;

interface Fault {
  /** Which call of an agent it strikes, from 0; `early` is each of the first six. */
  readonly leg: number | 'early';
  /** At its how-manieth moment: a policy is asked, a model or tool begins, a commit begins or is written. */
  readonly at: number;
  readonly what: (typeof FAULTS)[number];
}

export interface Script {
  readonly mode: Mode;
  readonly turns: number;
  readonly answers: readonly Answer[];
  readonly policies: readonly PolicyScript[];
  readonly tools?: readonly ToolMove[];
  readonly people?: readonly Person[];
  readonly pickups?: readonly Pickup[];
  readonly faults?: readonly Fault[];
  readonly cap?: number;
  readonly steps?: number;
  readonly forgetsDiscarded?: true;
  readonly resetsOnMessage?: true;
}

const call: fc.Arbitrary<ScriptedCall> = fc
  .tuple(
    fc.constantFrom(...TOOLS, 'pay', 'pay', 'wire', 'nope'),
    fc.oneof({ weight: 5, arbitrary: fc.constant('') }, fc.constantFrom(...ARGUMENTS)),
  )
  // Both halves are of the lists the type is made of.
  .map(([tool, written]) => `${tool}${written}` as ScriptedCall);

const yes = fc.constant(true as const);

const calls: fc.Arbitrary<Answer> = fc.record(
  {
    calls: fc.array(call, { minLength: 1, maxLength: 4 }),
    text: yes,
    reasoning: yes,
    finish: fc.constantFrom('length' as const, 'stop' as const),
  },
  { requiredKeys: ['calls'] },
);

const answer: fc.Arbitrary<Answer> = fc.oneof(
  { weight: 8, arbitrary: calls.map(seldomCut) },
  { weight: 2, arbitrary: fc.constant<Answer>('text') },
  { weight: 1, arbitrary: fc.constantFrom<Answer>(...PLAIN_ANSWERS) },
);

/** Most answers with calls end as such: the ones that were cut off run nothing. */
function seldomCut(given: Answer): Answer {
  if (typeof given === 'string' || given.finish === undefined || given.calls.length === 3)
    return given;
  const { finish: _finish, ...rest } = given;
  return rest;
}

/** At the start of a turn mostly what lets it go on: of a turn that ends there nothing else can be seen. */
const OPENING: readonly Point[] = ['onTurnStart', 'onUserMessage', 'preLlmRequest'];
const ENDING = ['block', 'misfit', ...FAILING];

function movesOf(point: Point): fc.Arbitrary<readonly string[]> {
  const all: readonly string[] = MOVES[point];
  const goingOn = all.filter((move) => !ENDING.includes(move));
  const move = fc.oneof(
    { weight: OPENING.includes(point) ? 8 : 5, arbitrary: fc.constantFrom(...goingOn) },
    { weight: 1, arbitrary: fc.constantFrom(...all) },
  );
  return fc.array(move, { minLength: 1, maxLength: OPENING.includes(point) ? 4 : 8 });
}

const policy: fc.Arbitrary<PolicyScript> = fc.record(
  {
    moves: fc.record(
      // One arbitrary for each point; `fromEntries` forgets the names of its keys.
      Object.fromEntries(SCRIPTED_POINTS.map((point) => [point, movesOf(point)])) as {
        [point in Point]: fc.Arbitrary<readonly string[]>;
      },
      { requiredKeys: [] },
    ),
    async: yes,
    failure: fc.constantFrom('open' as const, 'closed' as const),
  },
  { requiredKeys: ['moves'] },
);

const fault: fc.Arbitrary<Fault> = fc.record({
  leg: fc.oneof(
    { weight: 3, arbitrary: fc.constant(0) },
    fc.integer({ min: 1, max: 4 }),
    fc.constant('early' as const),
  ),
  at: fc.oneof(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 1, max: 40 })),
  what: fc.constantFrom(...FAULTS),
});

/** Scripts of whole conversations. `fragile` ones are cancelled, killed and resumed on the way. */
export function scripts(mode: Mode, options: { readonly fragile: boolean }): fc.Arbitrary<Script> {
  return fc.record(
    {
      mode: fc.constant(mode),
      turns: fc.integer({ min: 1, max: 3 }),
      answers: fc.array(answer, { maxLength: 10, size: 'max' }),
      policies: fc.array(policy, { maxLength: 3, size: 'max' }),
      tools: fc.array(
        fc.oneof(
          { weight: 3, arbitrary: fc.constant<ToolMove>('ok') },
          fc.constantFrom(...TOOL_MOVES),
        ),
        { maxLength: 8, size: 'max' },
      ),
      people: fc.array(fc.constantFrom(...PEOPLE), { maxLength: 5 }),
      pickups: fc.array(fc.constantFrom(...PICKUPS), { maxLength: 4 }),
      ...(options.fragile && { faults: fc.array(fault, { minLength: 1, maxLength: 4 }) }),
      cap: fc.integer({ min: 1, max: 4 }),
      steps: fc.integer({ min: 1, max: 6 }),
      forgetsDiscarded: yes,
      resetsOnMessage: yes,
    },
    { requiredKeys: ['mode', 'turns', 'answers', 'policies'] },
  ) as fc.Arbitrary<Script>; // What may be left out is left out, never `undefined`.
}
