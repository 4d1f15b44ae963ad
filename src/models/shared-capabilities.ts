import type { ChatModel, ModelCapabilities } from './port.ts';

/** What every one of these models can do: a request may go to any of them. */
export function sharedCapabilities(models: readonly ChatModel[]): ModelCapabilities {
  return Object.freeze({
    outputSchema: models.every(({ capabilities }) => capabilities?.outputSchema === true),
  });
}
