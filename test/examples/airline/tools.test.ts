import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { airlineTools } from '../../../examples/airline/tools.ts';

const file = new URL('../../../examples/airline/data/tools.json', import.meta.url);
const recorded: readonly { readonly name: string; readonly parameters: object }[] = JSON.parse(
  readFileSync(file, 'utf8'),
);

test('the tools are those of the recorded agent, word for word', () => {
  const ours = airlineTools.map(({ description: { name, description, inputSchema } }) => ({
    name,
    description,
    parameters: withoutSafeIntegers({ required: [], ...inputSchema }),
  }));
  expect(ours).toEqual(recorded);
});

test('six tools write, and none asks a person by its tier', () => {
  const writing = airlineTools.filter(({ sideEffects }) => sideEffects === 'once');
  expect(writing.map(({ name }) => name)).toEqual([
    'book_reservation',
    'cancel_reservation',
    'send_certificate',
    'update_reservation_baggages',
    'update_reservation_flights',
    'update_reservation_passengers',
  ]);
  expect(airlineTools.every(({ tier }) => tier === 'auto')).toBe(true);
});

/** Zod bounds an integer by what JavaScript can hold; the recorded schemas say nothing of it. */
function withoutSafeIntegers(schema: object): unknown {
  return JSON.parse(JSON.stringify(schema), (_, value) => {
    if (typeof value !== 'object' || value?.type !== 'integer') return value;
    const { minimum: _min, maximum: _max, ...rest } = value;
    return rest;
  });
}
