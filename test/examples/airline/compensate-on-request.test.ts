import { describe, expect, test } from 'vitest';
import { CompensateOnRequest } from '../../../examples/airline/policies/compensate-on-request.ts';
import { agent, answered, contextOf, customer, invocationOf } from './scene.ts';

const policy = new CompensateOnRequest();
const send = invocationOf('send_certificate', { user_id: 'mia_li', amount: 100 });
const blocked = {
  type: 'block',
  reason: 'The customer did not ask for compensation. Do not offer any.',
};

describe('a certificate goes to a customer who said', () => {
  test.each([
    "And yes, I'm definitely looking for compensation for this inconvenience.",
    'I am a Gold member.\nWhat kind of compensation can I expect?',
    'Perhaps a travel voucher or a gift card?',
    'Could you reimburse me?',
  ])('%s', (text) => {
    const ctx = contextOf(customer(text), agent('I see.'), customer('Yes, please.'));
    expect(policy.preToolUse(send, ctx)).toBeUndefined();
  });
});

describe('no certificate goes to a customer who said', () => {
  test.each([
    'I am really upset because my flight has been delayed.',
    "Let's go ahead and proceed with the compensation for this reservation.",
    'I want no compensation, I want to fly.',
    "I don't need a voucher.",
    'I would like to pay with my certificate.',
    'What happened to my flight? Compensation is not the point.',
  ])('%s', (text) => {
    expect(policy.preToolUse(send, contextOf(customer(text)))).toEqual(blocked);
  });
});

test('what the agent offers is not what the customer asks', () => {
  const ctx = contextOf(
    customer('My flight is late.'),
    agent('Would you like compensation? I can offer a voucher.'),
    answered('think', {}, 'The customer would like compensation.'),
    customer('Yes, please.'),
  );
  expect(policy.preToolUse(send, ctx)).toEqual(blocked);
});

test('other tools are none of its business', () => {
  const cancel = invocationOf('cancel_reservation', { reservation_id: 'FQ8APE' });
  expect(policy.preToolUse(cancel, contextOf())).toBeUndefined();
});
