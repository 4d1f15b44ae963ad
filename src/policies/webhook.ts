export {
  type WebhookPoint,
  type WebhookPolicyOptions,
  webhookPolicy,
} from './webhook/webhook-policy.ts';
