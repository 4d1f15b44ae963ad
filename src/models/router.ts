import { checkKeys } from '../errors/check-keys.ts';
import { ConfigError } from '../errors/config-error.ts';
import { ModelError } from '../errors/model-error.ts';
import { requireStream } from '../errors/require-stream.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { ChatStreamPart } from '../protocol/chat.ts';
import { billedTo } from './billed-to.ts';
import type {
  ChatModel,
  ModelCallOptions,
  ModelCapabilities,
  ModelRequest,
  ModelResponse,
} from './port.ts';
import { sharedCapabilities } from './shared-capabilities.ts';

export interface RouterOptions<Name extends string> {
  /** Default: `router`. */
  readonly id?: string;
  readonly models: { readonly [name in Name]: ChatModel };
  /** Names the model for one request. It sees what policies and settings have made of it, and changes nothing. */
  readonly route: (request: ModelRequest) => MaybePromise<Name>;
}

const OPTIONS = Object.keys({ id: true, models: true, route: true } satisfies Record<
  keyof RouterOptions<string>,
  true
>);

/**
 * Picks a model for each request. A name that is none of `models` is a `ModelError` with code `unknown-model`, and
 * no model is asked. The `model` of an answer says who gave it.
 */
export function routerModel<Name extends string>(options: RouterOptions<Name>): ChatModel {
  checkKeys('routerModel', options, OPTIONS);
  const models = new Map<string, ChatModel>(Object.entries(options.models ?? {}));
  if (typeof options.route !== 'function') throw noRoute();
  if (models.size === 0) {
    throw new ConfigError('invalid-option', {
      where: 'routerModel',
      what: 'it was given no models',
      fix: 'Pass at least one, as in `models: { small, large }`',
    });
  }
  return new RouterModel(options.id ?? 'router', models, options.route);
}

function noRoute(): ConfigError {
  return new ConfigError('invalid-option', {
    where: 'routerModel',
    what: '`route` is no function',
    fix: 'Pass one that names a model for a request',
  });
}

class RouterModel implements ChatModel {
  readonly id: string;
  readonly capabilities: ModelCapabilities;
  readonly #models: ReadonlyMap<string, ChatModel>;
  readonly #route: (request: ModelRequest) => MaybePromise<string>;

  constructor(
    id: string,
    models: ReadonlyMap<string, ChatModel>,
    route: (request: ModelRequest) => MaybePromise<string>,
  ) {
    this.id = id;
    this.capabilities = sharedCapabilities([...models.values()]);
    this.#models = models;
    this.#route = route;
  }

  async generate(request: ModelRequest, options: ModelCallOptions): Promise<ModelResponse> {
    const model = this.#pick(await this.#route(request));
    try {
      const response = await model.generate(request, options);
      return { ...response, model: response.model ?? model.id };
    } catch (error) {
      throw billedTo(model.id, error);
    }
  }

  async *stream(request: ModelRequest, options: ModelCallOptions): AsyncGenerator<ChatStreamPart> {
    const model = this.#pick(await this.#route(request));
    try {
      for await (const part of requireStream(model.stream(request, options), model)) {
        if (part?.type !== 'finish') yield part;
        else yield { ...part, result: { ...part.result, model: part.result.model ?? model.id } };
      }
    } catch (error) {
      throw billedTo(model.id, error);
    }
  }

  #pick(name: string): ChatModel {
    const model = this.#models.get(name);
    if (model !== undefined) return model;
    throw new ModelError('unknown-model', {
      where: `model '${this.id}'`,
      what: 'its route named a model that it does not have',
      fix: `Let the route return one of ${[...this.#models.keys()].map((each) => `'${each}'`).join(', ')}`,
    });
  }
}
