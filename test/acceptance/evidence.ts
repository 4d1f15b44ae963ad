import type { Agent, AgentEvent, EventType, Message, ThreadStore } from '../../src/index.ts';
import { textOf } from '../../src/index.ts';

/** Everything an observer of this agent hears from now on. */
export function hear<Context>(agent: Agent<Context>): AgentEvent[] {
  const events: AgentEvent[] = [];
  agent.on('*', (event) => events.push(event));
  return events;
}

export function types(events: readonly AgentEvent[]): readonly EventType[] {
  return events.map(({ type }) => type);
}

export function ofType<Type extends EventType>(
  events: readonly AgentEvent[],
  type: Type,
): readonly Extract<AgentEvent, { readonly type: Type }>[] {
  return events.filter(
    (event): event is Extract<AgentEvent, { readonly type: Type }> => event.type === type,
  );
}

/** Every text a user has seen: whole messages and pieces of streamed ones. */
export function shown(events: readonly AgentEvent[]): string {
  return events
    .flatMap((event) => {
      const isShown =
        event.type === 'message.outgoing' ? !event.discarded : event.type === 'llm.delta';
      return isShown && 'text' in event ? [event.text] : [];
    })
    .join('\n');
}

/** Everything that can be read of a thread afterwards, as one text to search. */
export async function readable(store: ThreadStore, threadId: string): Promise<string> {
  return JSON.stringify([
    await store.load(threadId),
    await store.readMessages(threadId),
    await store.readEvents(threadId),
    await store.pendingApprovals({ threadId }),
  ]);
}

/** The texts of messages, each with who speaks. */
export function transcript(messages: readonly Message[]): readonly string[] {
  return messages.map((message) => `${message.role}: ${textOf(message)}`);
}

/** The outputs of all tool results, in order. */
export function outputs(messages: readonly Message[]): readonly unknown[] {
  return messages.flatMap((message) =>
    message.role === 'tool' ? message.content.map(({ output }) => output) : [],
  );
}
