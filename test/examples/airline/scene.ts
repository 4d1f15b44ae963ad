import type {
  HookContext,
  JsonObject,
  JsonValue,
  Message,
  ToolInvocation,
  ToolOutcome,
} from 'agent-hooks';

/** A context as a policy gets it in the middle of a conversation. */
export function contextOf(...messages: readonly (Message | readonly Message[])[]): HookContext {
  return {
    threadId: 'thread',
    turnId: 'turn',
    step: 1,
    attempt: 1,
    agentPath: [],
    model: 'scripted',
    purpose: 'main',
    sender: null,
    channel: null,
    session: null,
    messages: messages.flat(),
    memory: { get: () => undefined, set: () => {}, delete: () => {} },
    state: {},
    counters: { increment: () => 1, read: () => 0 },
    signal: new AbortController().signal,
    recheck: false,
    context: undefined,
  };
}

export function customer(text: string): Message {
  return { role: 'user', content: [{ type: 'text', text }] };
}

export function agent(text: string): Message {
  return { role: 'assistant', content: [{ type: 'text', text }] };
}

let calls = 0;

/** A call that ran, and what the airline answered. */
export function answered(
  toolName: string,
  input: JsonObject,
  output: JsonValue,
): readonly Message[] {
  return ended('succeeded', { toolName, input, output });
}

/** A call, however it ended. */
export function ended(
  outcome: ToolOutcome,
  call: { readonly toolName: string; readonly input: JsonObject; readonly output: JsonValue },
): readonly Message[] {
  const { toolName, input, output } = call;
  calls += 1;
  const ids = { callId: `call.${calls}`, providerCallId: `provider.${calls}`, toolName };
  return [
    { role: 'assistant', content: [{ type: 'tool-call', ...ids, input }] },
    {
      role: 'tool',
      content: [{ type: 'tool-result', ...ids, outcome, isError: outcome !== 'succeeded', output }],
    },
  ];
}

/** A call about to run. Reading tools start with `get_`, as the airline's do. */
export function invocationOf(toolName: string, input: JsonObject): ToolInvocation {
  return {
    callId: 'call.judged',
    providerCallId: 'provider.judged',
    toolName,
    displayName: toolName,
    tier: 'auto',
    sideEffects: toolName.startsWith('get_') ? 'none' : 'once',
    requestedInput: input,
    effectiveInput: input,
    batch: { index: 0, size: 1 },
  };
}

const RESERVATION = {
  reservation_id: 'FQ8APE',
  cabin: 'basic_economy',
  flights: [
    { flight_number: 'HAT056', date: '2024-05-25', price: 71 },
    { flight_number: 'HAT138', date: '2024-05-25', price: 60 },
  ],
  passengers: [{ first_name: 'Ivan', last_name: 'Garcia', dob: '1960-12-01' }],
  total_baggages: 2,
  nonfree_baggages: 0,
  insurance: 'no',
  created_at: '2024-05-01T16:18:10',
};

/** A tool showed the reservation FQ8APE, and this is what it was like. */
export function readReservation(
  changes: JsonObject = {},
  toolName = 'get_reservation_details',
): readonly Message[] {
  const output = JSON.stringify({ ...RESERVATION, ...changes });
  return answered(toolName, { reservation_id: 'FQ8APE' }, output);
}

/** The agent tried to read it, and got something that is no JSON. */
export function garbledReservation(): readonly Message[] {
  const output = '{"reservation_id": "FQ8APE", "cabin": "econ';
  return answered('get_reservation_details', { reservation_id: 'FQ8APE' }, output);
}

export const BLOCKED_UNREAD: unknown = {
  type: 'block',
  reason: 'Read the reservation first, with get_reservation_details.',
};
