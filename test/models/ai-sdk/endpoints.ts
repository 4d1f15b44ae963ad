import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createAnthropic as createAnthropic2 } from 'anthropic-v2';
import { createAnthropic as createAnthropic3 } from 'anthropic-v3';
import { createOpenAICompatible as createCompatible2 } from 'openai-compatible-v2';
import { createOpenAICompatible as createCompatible3 } from 'openai-compatible-v3';
import { createOpenAI as createOpenAi2 } from 'openai-v2';
import { createOpenAI as createOpenAi3 } from 'openai-v3';
import type { AiSdkModel } from '../../../src/models/ai-sdk.ts';

export const KEY = 'sk-test-0123456789';

/** The protocol an endpoint speaks over HTTP. */
export type Wire = 'chat' | 'responses' | 'messages';

export interface Endpoint {
  readonly name: string;
  readonly spec: 'v2' | 'v3' | 'v4';
  readonly wire: Wire;
  readonly compatible: boolean;
  readonly open: (url: string) => AiSdkModel;
}

interface OpenAi {
  chat(id: string): AiSdkModel;
  responses(id: string): AiSdkModel;
}
type Options = { readonly baseURL: string; readonly apiKey: string };

const specs = ['v2', 'v3', 'v4'] as const;
const openAi: readonly ((options: Options) => OpenAi)[] = [
  createOpenAi2,
  createOpenAi3,
  createOpenAI,
];
const anthropic: readonly ((options: Options) => (id: string) => AiSdkModel)[] = [
  createAnthropic2,
  createAnthropic3,
  createAnthropic,
];
const compatible: readonly ((
  options: Options & { readonly name: string; readonly includeUsage: true },
) => { chatModel(id: string): AiSdkModel })[] = [
  createCompatible2,
  createCompatible3,
  createOpenAICompatible,
];

/** Every way the nine provider packages talk to a server: three packages, each in three versions of the spec. */
export const ENDPOINTS: readonly Endpoint[] = specs.flatMap((spec, index) => {
  const at = <Each>(list: readonly Each[]): Each => list[index] as Each; // Three of each.
  const options = (url: string) => ({ baseURL: `${url}/v1`, apiKey: KEY });
  return [
    {
      name: `openai chat ${spec}`,
      spec,
      wire: 'chat',
      compatible: false,
      open: (url) => at(openAi)(options(url)).chat('gpt-4o'),
    },
    {
      name: `openai responses ${spec}`,
      spec,
      wire: 'responses',
      compatible: false,
      open: (url) => at(openAi)(options(url)).responses('gpt-5'),
    },
    {
      name: `anthropic ${spec}`,
      spec,
      wire: 'messages',
      compatible: false,
      open: (url) => at(anthropic)(options(url))('claude-sonnet-4-5'),
    },
    {
      name: `openai-compatible ${spec}`,
      spec,
      wire: 'chat',
      compatible: true,
      open: (url) =>
        at(compatible)({ ...options(url), name: 'local', includeUsage: true }).chatModel('llama'),
    },
  ] satisfies readonly Endpoint[];
});
