import { checkKeys } from '../errors/check-keys.ts';
import { type AiSdkOptions as AskOptions, askAiSdk } from './ai-sdk/from-ai-sdk.ts';
import type { AiSdkModel } from './ai-sdk/spec.ts';
import type { ChatModel } from './port.ts';
import type { RetryOptions } from './retry/options.ts';
import { retryModel } from './retry/retry-model.ts';

export type { AiSdkModel, RetryOptions };

export interface AiSdkOptions extends AskOptions {
  /** How a failed call is tried again; `false` asks once, without a time limit. Default: two retries, see `RetryOptions`. */
  readonly retry?: RetryOptions | false;
}

const OPTIONS = Object.keys({
  id: true,
  providerOptions: true,
  outputSchema: true,
  retry: true,
} satisfies Record<keyof AiSdkOptions, true>);

/**
 * Makes a model of an AI SDK language model of spec v2, v3 or v4, such as `openai('gpt-4o')`. Throws
 * `ConfigError` for anything else. Tools that the provider runs itself are not handed to the engine. A failed
 * call is a `ModelError` whose message holds nothing the provider sent; `cause` is what it said, without headers,
 * bodies and what looks like a key. Calls that may succeed later are tried again, as `retryModel` does.
 *
 * Of a streamed block of text or reasoning, the provider's metadata comes last, in a part with an empty text:
 * it belongs to all of the block, and what follows is a new one.
 */
export function fromAiSdk(model: AiSdkModel, options: AiSdkOptions = {}): ChatModel {
  checkKeys('fromAiSdk', options, OPTIONS);
  const { retry = {}, ...ask } = options;
  const asked = askAiSdk(model, ask);
  return retry === false ? asked : retryModel(asked, retry);
}
