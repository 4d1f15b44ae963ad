import { describe, expect, test } from 'vitest';
import { type Cell, FAULTS, type Fault, MODES, runCell, type Setting } from './cell.ts';
import { EXPECTED, type Point } from './expected.ts';

/** How a fault is told of, where it is told of at all. */
const KIND: { readonly [fault in Fault]: string | undefined } = {
  throws: 'threw',
  rejects: 'threw',
  hangs: 'timed-out',
  'answers late': 'timed-out',
  'answers illegally': 'illegal',
  'changes its payload': 'threw',
  'is cancelled': undefined,
};

/** Cells that cannot exist, and why. */
const MISSING: { readonly [cell: string]: string } = {
  'onEvent answers illegally':
    'whoever only watches answers nothing, so nothing it returns is read',
  ...cannot('systemPrompt', ['rejects', 'hangs', 'answers late'], 'it is synchronous: see below'),
  ...cannot('systemPrompt', ['changes its payload'], 'a text cannot be changed'),
  'onEvent closed': 'whoever only watches cannot be closed: `createAgent` refuses the option',
};

function cannot(point: Point, faults: readonly Fault[], why: string): { [cell: string]: string } {
  return Object.fromEntries(faults.map((fault) => [`${point} ${fault}`, why]));
}

const POINTS = Object.keys(EXPECTED) as Point[];
const SETTINGS: readonly (Setting | undefined)[] = [undefined, 'closed', 'open'];
const CELLS = MODES.flatMap((mode) =>
  POINTS.flatMap((point) =>
    SETTINGS.flatMap((setting) => FAULTS.map((fault): Cell => ({ point, fault, setting, mode }))),
  ),
).filter(
  ({ point, fault, setting }) =>
    MISSING[`${point} ${fault}`] === undefined && MISSING[`${point} ${setting}`] === undefined,
);

describe.concurrent('a policy with a fault', () => {
  const named = CELLS.map((cell): [string, Cell] => [
    `${cell.point} ${cell.fault}, ${cell.setting ?? 'by default'}, in ${cell.mode.name}`,
    cell,
  ]);

  test.for(named)('%s', async ([, cell], { expect: expectHere }) => {
    const { point, fault } = cell;
    const row = EXPECTED[point];
    const setting = cell.setting ?? row.default;
    const seen = await runCell(cell);
    if (fault === 'is cancelled') {
      expectHere(seen).toMatchObject({ status: 'cancelled', ...row.cancelled });
      return;
    }
    const ending = row[setting];
    if (ending === undefined) throw new Error('a cell that cannot exist was run');
    const { words: _words, ...rest } = ending;
    expectHere(seen).toMatchObject(rest);
    if (point === 'onEvent') return;
    // A closed failure ends the turn there, except where only a text or a result is replaced.
    const goesOn = setting === 'open' || rest.modelCalls === 2;
    const failures = Array.from({ length: goesOn ? row.questions : 1 }, () => ({
      kind: KIND[fault],
      open: setting === 'open',
    }));
    expectHere(seen.failures).toEqual(failures);
    // Of a window's policy the record holds one failure for an answer, however many windows it had.
    const late = point === 'onTextWindow' ? 0 : failures.length;
    if (fault === 'answers late') expectHere(seen.late).toBe(late);
  });
});

describe('the cells that cannot exist', () => {
  test.each(['rejects', 'hangs', 'answers late'] as const)(
    'a prompt that %s is an illegal answer at once',
    async (fault) => {
      const mode = MODES[0] as (typeof MODES)[number]; // `run`
      const seen = await runCell({ point: 'systemPrompt', fault, setting: undefined, mode });
      const { words: _words, ...ending } = EXPECTED.systemPrompt.closed;
      expect(seen).toMatchObject({ ...ending, failures: [{ kind: 'illegal', open: false }] });
    },
  );

  test('a point that only watches cannot be closed', async () => {
    const cell: Cell = {
      point: 'onEvent',
      fault: 'throws',
      setting: 'closed',
      mode: MODES[0] as never,
    };
    await expect(runCell(cell)).rejects.toMatchObject({ code: 'invalid-option' });
  });

  test.each(MODES)('whatever it returns is nothing, in $name', async (mode) => {
    const cell: Cell = { point: 'onEvent', fault: 'answers illegally', setting: undefined, mode };
    expect(await runCell(cell)).toMatchObject({ status: 'completed', failures: [], late: 0 });
  });
});
