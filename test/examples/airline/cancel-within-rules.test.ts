import { expect, test } from 'vitest';
import { CancelWithinRules } from '../../../examples/airline/policies/cancel-within-rules.ts';
import {
  BLOCKED_UNREAD,
  contextOf,
  garbledReservation,
  invocationOf,
  readReservation,
} from './scene.ts';

const policy = new CancelWithinRules(() => Date.parse('2024-05-15T15:00:00-05:00'));
const cancel = invocationOf('cancel_reservation', { reservation_id: 'FQ8APE' });

test.each([
  ['booked within a day', { created_at: '2024-05-14T15:00:00' }],
  ['of business class', { cabin: 'business' }],
  ['with insurance', { insurance: 'yes' }],
])('a reservation %s may be cancelled', (_, reservation) => {
  expect(policy.preToolUse(cancel, contextOf(readReservation(reservation)))).toBeUndefined();
});

test.each([
  ['booked a second too early', { created_at: '2024-05-14T14:59:59', cabin: 'economy' }],
  ['whose time of booking cannot be read', { created_at: 'last night' }],
])('for one %s, not insured and not business, a person decides', (_, reservation) => {
  const decision = policy.preToolUse(cancel, contextOf(readReservation(reservation)));
  expect(decision).toEqual({
    type: 'requires-confirmation',
    prompt: `FQ8APE was booked on ${reservation.created_at}, is not business and not insured. Did the airline cancel a flight of it?`,
  });
});

test('a reservation that nobody could read is left alone', () => {
  expect(policy.preToolUse(cancel, contextOf())).toEqual(BLOCKED_UNREAD);
  const garbled = contextOf(readReservation({ cabin: 'business' }), garbledReservation());
  expect(policy.preToolUse(cancel, garbled)).toEqual(BLOCKED_UNREAD);
});

test('other tools are none of its business', () => {
  const read = invocationOf('get_user_details', { user_id: 'mia_li' });
  expect(policy.preToolUse(read, contextOf())).toBeUndefined();
});
