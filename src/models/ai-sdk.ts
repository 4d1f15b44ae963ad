export { type AiSdkOptions, fromAiSdk } from './ai-sdk/from-ai-sdk.ts';
export type { AiSdkModel } from './ai-sdk/spec.ts';
