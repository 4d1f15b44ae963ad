import type { ToolInvocation } from 'agent-hooks';
import { expect, test } from 'vitest';
import { KeepPassengerCount } from '../../../examples/airline/policies/keep-passenger-count.ts';
import {
  BLOCKED_UNREAD,
  contextOf,
  garbledReservation,
  invocationOf,
  readReservation,
} from './scene.ts';

const policy = new KeepPassengerCount();

function update(passengers: number): ToolInvocation {
  return invocationOf('update_reservation_passengers', {
    reservation_id: 'FQ8APE',
    passengers: Array.from({ length: passengers }, () => ({ first_name: 'Omar' })),
  });
}

test('a passenger may be exchanged for another', () => {
  expect(policy.preToolUse(update(1), contextOf(readReservation()))).toBeUndefined();
});

test.each([0, 2])('the one passenger does not become %i', (count) => {
  expect(policy.preToolUse(update(count), contextOf(readReservation()))).toEqual({
    type: 'block',
    reason: 'The number of passengers of a reservation cannot be changed.',
  });
});

test('a reservation that nobody could read is left alone', () => {
  expect(policy.preToolUse(update(1), contextOf())).toEqual(BLOCKED_UNREAD);
  const garbled = contextOf(readReservation(), garbledReservation());
  expect(policy.preToolUse(update(1), garbled)).toEqual(BLOCKED_UNREAD);
});

test('other tools are none of its business', () => {
  const read = invocationOf('get_user_details', { user_id: 'mia_li' });
  expect(policy.preToolUse(read, contextOf())).toBeUndefined();
});
