import type { ToolInvocation } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { KeepBasicEconomyFlights } from '../../../examples/airline/policies/keep-basic-economy-flights.ts';
import {
  answered,
  BLOCKED_UNREAD,
  contextOf,
  ended,
  garbledReservation,
  invocationOf,
  readReservation,
} from './scene.ts';

const policy = new KeepBasicEconomyFlights();
const same = ['HAT056', 'HAT138'];
const other = ['HAT056', 'HAT052'];

function update(flights: readonly string[]): ToolInvocation {
  return invocationOf('update_reservation_flights', {
    reservation_id: 'FQ8APE',
    cabin: 'economy',
    flights: flights.map((flight_number) => ({ flight_number, date: '2024-05-25' })),
    payment_id: 'gift_card_1',
  });
}

describe('the flights of a basic economy reservation', () => {
  test('are not changed, not even together with the cabin', () => {
    expect(policy.preToolUse(update(other), contextOf(readReservation()))).toEqual({
      type: 'block',
      reason: 'The flights of a basic economy reservation cannot be changed.',
    });
  });

  test('are not shortened', () => {
    const decision = policy.preToolUse(update(['HAT056']), contextOf(readReservation()));
    expect(decision).toMatchObject({ type: 'block' });
  });

  test('may be named again, in any order, to change the cabin', () => {
    const ctx = contextOf(readReservation());
    expect(policy.preToolUse(update(same), ctx)).toBeUndefined();
    expect(policy.preToolUse(update(same.toReversed()), ctx)).toBeUndefined();
  });
});

test('the flights of other cabins may change', () => {
  const ctx = contextOf(readReservation({ cabin: 'economy' }));
  expect(policy.preToolUse(update(other), ctx)).toBeUndefined();
});

test('the newest answer about the reservation counts, also that of a write', () => {
  const write = readReservation({ cabin: 'economy' }, 'update_reservation_flights');
  expect(policy.preToolUse(update(other), contextOf(readReservation(), write))).toBeUndefined();
});

test('a refusal of the airline leaves what was known', () => {
  const refused = answered(
    'update_reservation_flights',
    { reservation_id: 'FQ8APE' },
    'Error: not enough seats on flight HAT056',
  );
  const ctx = contextOf(readReservation({ cabin: 'economy' }), refused);
  expect(policy.preToolUse(update(other), ctx)).toBeUndefined();
});

const call = {
  toolName: 'update_reservation_flights',
  input: { reservation_id: 'FQ8APE' },
  output: 'Error: it did not work',
};

test.each(['blocked', 'denied', 'not-executed', 'invalid', 'unknown-tool'] as const)(
  'a call that was %s leaves what was known',
  (outcome) => {
    const ctx = contextOf(readReservation({ cabin: 'economy' }), ended(outcome, call));
    expect(policy.preToolUse(update(other), ctx)).toBeUndefined();
  },
);

describe('nothing is changed on a reservation', () => {
  test.each(['failed', 'cancelled', 'unknown'] as const)(
    'after a call about it that is %s: it may have changed',
    (outcome) => {
      const ctx = contextOf(readReservation({ cabin: 'economy' }), ended(outcome, call));
      expect(policy.preToolUse(update(other), ctx)).toEqual(BLOCKED_UNREAD);
    },
  );

  test('that nobody read', () => {
    expect(policy.preToolUse(update(same), contextOf())).toEqual(BLOCKED_UNREAD);
  });

  test('of which another was read', () => {
    const ctx = contextOf(readReservation({ reservation_id: 'OTHER1' }));
    expect(policy.preToolUse(update(same), ctx)).toEqual(BLOCKED_UNREAD);
  });

  test('whose newest answer does not parse, whatever an older one said', () => {
    const ctx = contextOf(readReservation({ cabin: 'economy' }), garbledReservation());
    expect(policy.preToolUse(update(other), ctx)).toEqual(BLOCKED_UNREAD);
  });

  test('whose answer lacks the cabin', () => {
    const ctx = contextOf(readReservation({ cabin: null }));
    expect(policy.preToolUse(update(same), ctx)).toEqual(BLOCKED_UNREAD);
  });
});

test('other tools are none of its business', () => {
  const cancel = invocationOf('cancel_reservation', { reservation_id: 'FQ8APE' });
  expect(policy.preToolUse(cancel, contextOf(readReservation()))).toBeUndefined();
});
