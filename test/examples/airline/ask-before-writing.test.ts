import { describe, expect, test } from 'vitest';
import { AskBeforeWriting } from '../../../examples/airline/policies/ask-before-writing.ts';
import { agent, answered, contextOf, customer, invocationOf } from './scene.ts';

const policy = new AskBeforeWriting();
const cancel = invocationOf('cancel_reservation', { reservation_id: 'FQ8APE' });
const asks = {
  type: 'requires-confirmation',
  prompt: "The customer's last message holds no consent. Run cancel_reservation all the same?",
};

describe('a write goes on after', () => {
  test.each([
    'Yes, please proceed with the cancellation.',
    'It was the first flight. And yes, I am looking for compensation.',
    'Oui, please proceed with canceling this reservation. Merci bien!',
    'Everything looks good! I would like to use the travel certificate.',
    'I confirm the upgrade for reservation WUNA5K. Please go ahead.',
    "Let's go ahead and proceed with the compensation.",
    'Yes, please go ahead. I do not wish to add travel insurance.',
  ])('%s', (text) => {
    expect(policy.preToolUse(cancel, contextOf(customer(text)))).toBeUndefined();
  });
});

describe('a person is asked after', () => {
  test.each([
    'I would like to cancel all of these reservations.',
    "I'm sorry, but I don't have my reservation ID with me at the moment.",
    'Sure, my user ID is sofia_kim_7287.',
    "I'll go with the first option.",
    'No, please do not proceed.',
    "Yes, but don't cancel it yet.",
    'Yes, but wait for my husband.',
    'Can we proceed with the right details?',
    'Yesterday I booked a flight.',
  ])('%s', (text) => {
    expect(policy.preToolUse(cancel, contextOf(customer(text)))).toEqual(asks);
  });

  test('nothing at all', () => {
    expect(policy.preToolUse(cancel, contextOf())).toEqual(asks);
  });
});

test('only the last message of the customer counts', () => {
  const ctx = contextOf(
    customer('Yes, please proceed.'),
    answered('cancel_reservation', { reservation_id: 'OTHER1' }, '{}'),
    agent('Done. Shall I cancel FQ8APE too? Yes or no?'),
    customer('What would I get back?'),
  );
  expect(policy.preToolUse(cancel, ctx)).toEqual(asks);
});

test('what a tool answered is no consent', () => {
  const ctx = contextOf(customer('What do you think?'), answered('think', {}, 'Yes, go ahead.'));
  expect(policy.preToolUse(cancel, ctx)).toEqual(asks);
});

test('reading needs no consent', () => {
  const read = invocationOf('get_user_details', { user_id: 'mia_li' });
  expect(policy.preToolUse(read, contextOf(customer('Hello')))).toBeUndefined();
});
