import type { Message, ToolInvocation } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { LimitPaymentMethods } from '../../../examples/airline/policies/limit-payment-methods.ts';
import { answered, contextOf, invocationOf } from './scene.ts';

const policy = new LimitPaymentMethods();
const METHODS = ['certificate_1', 'certificate_2', 'credit_card_1', 'credit_card_2'].concat([
  'gift_card_1',
  'gift_card_2',
  'gift_card_3',
  'gift_card_4',
]);

function readProfile(userId = 'mia_li'): readonly Message[] {
  const methods = METHODS.map((id) => [id, { id, source: id.replace(/_\d$/, '') }]);
  const output = JSON.stringify({ payment_methods: Object.fromEntries(methods) });
  return answered('get_user_details', { user_id: userId }, output);
}

function book(paymentIds: readonly string[], passengers = 1): ToolInvocation {
  return invocationOf('book_reservation', {
    user_id: 'mia_li',
    passengers: Array.from({ length: passengers }, () => ({ first_name: 'Mia' })),
    payment_methods: paymentIds.map((payment_id) => ({ payment_id, amount: 100 })),
  });
}

test('one certificate, one credit card and three gift cards are a legal payment', () => {
  const ids = ['certificate_1', 'credit_card_1', 'gift_card_1', 'gift_card_2', 'gift_card_3'];
  expect(policy.preToolUse(book(ids), contextOf(readProfile()))).toBeUndefined();
});

test('a method named twice is still one', () => {
  const ids = ['credit_card_1', 'credit_card_1'];
  expect(policy.preToolUse(book(ids), contextOf(readProfile()))).toBeUndefined();
});

describe('a booking is blocked', () => {
  test.each([
    ['a second certificate', ['certificate_1', 'certificate_2']],
    ['a second credit card', ['credit_card_1', 'credit_card_2']],
    ['a fourth gift card', ['gift_card_1', 'gift_card_2', 'gift_card_3', 'gift_card_4']],
  ])('with %s', (_, ids) => {
    const decision = policy.preToolUse(book(ids), contextOf(readProfile()));
    expect(decision).toMatchObject({
      type: 'block',
      reason: expect.stringMatching(/^A booking takes/),
    });
  });

  test.each(['gift_card_9', 'constructor'])('with %s, which is not in the profile', (id) => {
    expect(policy.preToolUse(book([id]), contextOf(readProfile()))).toEqual({
      type: 'block',
      reason: 'A payment method is not in the profile of the customer.',
    });
  });

  test('for six passengers, and not for five', () => {
    const ctx = contextOf(readProfile());
    expect(policy.preToolUse(book(['credit_card_1'], 5), ctx)).toBeUndefined();
    expect(policy.preToolUse(book(['credit_card_1'], 6), ctx)).toMatchObject({ type: 'block' });
  });

  const unread = {
    type: 'block',
    reason: 'Read the profile of the customer first, with get_user_details.',
  };

  test('before the profile was read', () => {
    expect(policy.preToolUse(book(['credit_card_1']), contextOf())).toEqual(unread);
  });

  test('when only the profile of another was read', () => {
    const ctx = contextOf(readProfile('omar_rossi'));
    expect(policy.preToolUse(book(['credit_card_1']), ctx)).toEqual(unread);
  });

  test('when the newest answer does not parse, whatever an older one said', () => {
    const garbled = answered(
      'get_user_details',
      { user_id: 'mia_li' },
      '{"payment_methods": {"cre',
    );
    const ctx = contextOf(readProfile(), garbled);
    expect(policy.preToolUse(book(['credit_card_1']), ctx)).toEqual(unread);
  });
});

test('other tools are none of its business', () => {
  const read = invocationOf('get_user_details', { user_id: 'mia_li' });
  expect(policy.preToolUse(read, contextOf())).toBeUndefined();
});
