import type { AgentEvent, EventBody, EventStamp } from './event.ts';

/**
 * A copy of a body with its stamp, for the record. The event outlives all else that a step makes: were it the body, V8
 * would come to make everything that is made beside bodies among the old objects, at a fifth of the time of a run. What
 * every step tells has a copy of its own kind, as one for all kinds takes three times as long.
 */
export function stamped(body: EventBody, stamp: EventStamp): AgentEvent {
  const { agentPath } = stamp;
  const event = ofKind(body, stamp);
  return agentPath === undefined ? event : { ...event, agentPath };
}

function ofKind(body: EventBody, stamp: EventStamp): AgentEvent {
  const { threadId, turnId, step, at, seq } = stamp;
  switch (body.type) {
    case 'hook.decided':
      return { ...body, threadId, turnId, step, at, seq };
    case 'llm.requested':
      return { ...body, threadId, turnId, step, at, seq };
    case 'llm.responded':
      return { ...body, threadId, turnId, step, at, seq };
    case 'tool.called':
      return { ...body, threadId, turnId, step, at, seq };
    case 'tool.started':
      return { ...body, threadId, turnId, step, at, seq };
    case 'tool.succeeded':
      return { ...body, threadId, turnId, step, at, seq };
    case 'step.finished':
      return { ...body, threadId, turnId, step, at, seq };
    case 'step.started':
      return { ...body, threadId, turnId, step, at, seq };
    default:
      return { ...body, threadId, turnId, step, at, seq };
  }
}
