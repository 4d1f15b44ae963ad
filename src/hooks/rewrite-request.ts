import type { ModifyRequest } from '../decisions/request-decision.ts';
import { deepFreeze } from '../internal/deep-freeze.ts';
import { jsonEqual } from '../internal/json-equal.ts';
import { toJson } from '../internal/to-json.ts';
import type { ChatRequest, ModelSettings } from '../protocol/chat.ts';
import type { Message } from '../protocol/message.ts';
import { firstProblem, modelSettingsSchema, parseMessage } from '../protocol/message-schema.ts';
import type { Rewrite } from './chain.ts';

const FIELDS: ReadonlySet<PropertyKey> = new Set<keyof ChatRequest>([
  'messages',
  'settings',
  'tools',
  'outputSchema',
]);

/**
 * Another request for this one call: messages and settings may differ, tools and the output schema may not. Messages taken over by
 * reference were checked when they were made; everything else is read from scratch and copied, so what is
 * sent cannot change after it was judged.
 */
export function rewriteRequest(before: ChatRequest, decision: ModifyRequest): Rewrite<ChatRequest> {
  const { request } = decision;
  if (Reflect.ownKeys(request).some((key) => !FIELDS.has(key))) {
    return { problem: 'a request has only messages, settings, tools and outputSchema' };
  }
  const { messages, settings, tools, outputSchema } = request;
  if (tools !== undefined && !jsonEqual(tools, before.tools)) {
    return { problem: 'tools cannot be changed by a policy' };
  }
  if (outputSchema !== undefined && !jsonEqual(outputSchema, before.outputSchema)) {
    return { problem: 'outputSchema cannot be changed by a policy' };
  }
  const readMessages = rewriteMessages(before.messages, messages);
  if ('problem' in readMessages) return readMessages;
  const readSettings = rewriteSettings(before.settings, settings);
  if ('problem' in readSettings) return readSettings;
  return {
    value: Object.freeze({
      messages: readMessages.value,
      settings: readSettings.value,
      tools: before.tools,
      ...(before.outputSchema !== undefined && { outputSchema: before.outputSchema }),
    }),
  };
}

function rewriteMessages(before: readonly Message[], after: unknown): Rewrite<readonly Message[]> {
  if (after === before) return { value: before };
  if (!Array.isArray(after) || after.length === 0)
    return { problem: 'messages: needs at least one' };
  const known = new Set<unknown>(before);
  const messages: Message[] = [];
  for (const [index, candidate] of after.entries()) {
    if (known.has(candidate)) {
      // The very object that was sent to the policy, frozen all the way down.
      messages.push(candidate as Message);
      continue;
    }
    const parsed = parseMessage(candidate);
    if ('problem' in parsed) return { problem: `messages.${index}.${parsed.problem}` };
    // Copied once more for its texts, which may hold lone surrogates; the shape stays that of a message.
    messages.push(deepFreeze(toJson(parsed.message) as unknown as Message));
  }
  return { value: Object.freeze(messages) };
}

function rewriteSettings(before: ModelSettings, after: unknown): Rewrite<ModelSettings> {
  if (after === undefined || after === before) return { value: before };
  const parsed = modelSettingsSchema().safeParse(after);
  if (!parsed.success) return { problem: `settings.${firstProblem(parsed.error)}` };
  // Copied without members that are `undefined`; the shape stays that of settings.
  return { value: deepFreeze(toJson(parsed.data) as ModelSettings) };
}
