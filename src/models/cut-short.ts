import { ModelError } from '../errors/model-error.ts';
import type { Usage } from '../protocol/chat.ts';

/** A cut answer must never pass for a whole one. `usage`: what the provider reported before the cut. */
export function cutShort(modelId: string, usage?: Usage): ModelError {
  return new ModelError(
    'network',
    {
      where: `model '${modelId}'`,
      what: 'the stream ended before the answer was finished',
      fix: 'The connection was probably cut; try again',
    },
    usage === undefined ? {} : { usage },
  );
}
