import type { ToolInvocation } from 'agent-hooks';
import { expect, test } from 'vitest';
import { OnlyAddBags } from '../../../examples/airline/policies/only-add-bags.ts';
import {
  BLOCKED_UNREAD,
  contextOf,
  garbledReservation,
  invocationOf,
  readReservation,
} from './scene.ts';

const policy = new OnlyAddBags();

function update(total: number): ToolInvocation {
  return invocationOf('update_reservation_baggages', {
    reservation_id: 'FQ8APE',
    total_baggages: total,
    nonfree_baggages: 0,
    payment_id: 'gift_card_1',
  });
}

test.each([2, 5])('two bags may become %i', (total) => {
  expect(policy.preToolUse(update(total), contextOf(readReservation()))).toBeUndefined();
});

test('two bags do not become one', () => {
  expect(policy.preToolUse(update(1), contextOf(readReservation()))).toEqual({
    type: 'block',
    reason: 'Checked bags can be added to a reservation, not removed.',
  });
});

test('a reservation that nobody could read is left alone', () => {
  expect(policy.preToolUse(update(5), contextOf())).toEqual(BLOCKED_UNREAD);
  const garbled = contextOf(readReservation(), garbledReservation());
  expect(policy.preToolUse(update(5), garbled)).toEqual(BLOCKED_UNREAD);
});

test('other tools are none of its business', () => {
  const read = invocationOf('get_user_details', { user_id: 'mia_li' });
  expect(policy.preToolUse(read, contextOf())).toBeUndefined();
});
