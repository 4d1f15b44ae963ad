export { type TokenOrigin, type TokenSource, WebhookAuth } from './webhook/auth.ts';
export type { WebhookOptions } from './webhook/options.ts';
export { type WebhookTool, type WebhookToolOptions, webhookTool } from './webhook/webhook-tool.ts';
