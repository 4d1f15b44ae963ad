import type { Wire } from './endpoints.ts';

/** What a provider answers, whatever its protocol. */
export interface Answer {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly {
    readonly id: string;
    readonly name: string;
    readonly input: string;
  }[];
  /** A search that the provider runs itself. */
  readonly hosted?: true;
  /** Default: `calls` where there are any, else `stop`. */
  readonly end?: 'stop' | 'calls' | 'length' | 'filter' | 'odd';
}

/** Every answer costs this: 100 tokens in, of which 30 came from a cache, and 50 out, of which 20 were thought. */
export const COST = {
  inputTokens: 100,
  outputTokens: 50,
  cachedInputTokens: 30,
  reasoningTokens: 20,
};

type Json = { readonly [key: string]: unknown };

/** One protocol, as a server speaks it: a whole answer as one object, a streamed one event by event. */
export interface WireFormat {
  readonly whole: (answer: Answer) => Json;
  readonly events: (answer: Answer) => readonly Json[];
  readonly frame: (event: Json) => string;
  readonly end: string;
  /** An error among the events of a stream. */
  readonly failure: (kind: 'overloaded' | 'rate-limited') => Json;
}

const chatUsage = {
  prompt_tokens: 100,
  completion_tokens: 50,
  total_tokens: 150,
  prompt_tokens_details: { cached_tokens: 30 },
  completion_tokens_details: { reasoning_tokens: 20 },
};
const ends = { stop: 'stop', calls: 'tool_calls', length: 'length', filter: 'content_filter' };
const endOf = ({ end, calls }: Answer) => end ?? (calls === undefined ? 'stop' : 'calls');
const head = { id: 'c-1', object: 'chat.completion.chunk', created: 1, model: 'm-1' };
const chunk = (delta: Json, finish_reason: string | null = null): Json => ({
  ...head,
  choices: [{ index: 0, delta, finish_reason }],
});
const data = (event: Json): string => `data: ${JSON.stringify(event)}\n\n`;

const chat: WireFormat = {
  whole: (answer) => ({
    ...head,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: answer.text ?? null,
          ...(answer.reasoning !== undefined && { reasoning_content: answer.reasoning }),
          ...(answer.calls !== undefined && { tool_calls: answer.calls.map((one) => called(one)) }),
        },
        finish_reason: { ...ends, odd: 'sudden_doubt' }[endOf(answer)],
      },
    ],
    usage: chatUsage,
  }),
  events: (answer) => [
    chunk({ role: 'assistant', content: '' }),
    ...halves(answer.reasoning).map((reasoning_content) => chunk({ reasoning_content })),
    ...halves(answer.text).map((content) => chunk({ content })),
    // Pieces of all calls in turn, the id only on the first piece of each.
    ...(answer.calls ?? []).map((one, index) =>
      chunk({ tool_calls: [{ index, ...called({ ...one, input: '' }) }] }),
    ),
    ...[0, 1].flatMap((half) =>
      (answer.calls ?? []).map(({ input }, index) =>
        chunk({ tool_calls: [{ index, function: { arguments: halves(input)[half] ?? '' } }] }),
      ),
    ),
    chunk({}, { ...ends, odd: 'sudden_doubt' }[endOf(answer)]),
    { ...head, choices: [], usage: chatUsage },
  ],
  frame: data,
  end: 'data: [DONE]\n\n',
  failure: (kind) => ({
    error:
      kind === 'overloaded'
        ? { message: 'LEAK', type: 'server_error', code: 'server_overloaded' }
        : { message: 'LEAK', type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  }),
};

function called({ id, name, input }: { id: string; name: string; input: string }): Json {
  return { id, type: 'function', function: { name, arguments: input } };
}

const response = (answer: Answer): Json => {
  const end = endOf(answer);
  const reason = { length: 'max_output_tokens', filter: 'content_filter', odd: 'sudden_doubt' };
  const cut = end === 'stop' || end === 'calls' ? undefined : reason[end];
  return {
    id: 'c-1',
    object: 'response',
    created_at: 1,
    model: 'm-1',
    status: cut === undefined ? 'completed' : 'incomplete',
    error: null,
    incomplete_details: cut === undefined ? null : { reason: cut },
    output: items(answer),
    usage: {
      input_tokens: 100,
      output_tokens: 50,
      total_tokens: 150,
      input_tokens_details: { cached_tokens: 30 },
      output_tokens_details: { reasoning_tokens: 20 },
    },
  };
};

function items(answer: Answer): Json[] {
  const { text, reasoning, calls = [] } = answer;
  return [
    ...(reasoning === undefined
      ? []
      : [{ type: 'reasoning', id: 'rs', summary: [{ type: 'summary_text', text: reasoning }] }]),
    ...(answer.hosted === undefined
      ? []
      : [
          {
            type: 'web_search_call',
            id: 'ws',
            status: 'completed',
            action: { type: 'search', query: 'q' },
          },
        ]),
    ...(text === undefined
      ? []
      : [
          {
            type: 'message',
            id: 'msg',
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text, annotations: [] }],
          },
        ]),
    ...calls.map(({ id, name, input }) => ({
      type: 'function_call',
      id: `fc_${id}`,
      call_id: id,
      name,
      arguments: input,
      status: 'completed',
    })),
  ];
}

const responses: WireFormat = {
  whole: response,
  events: (answer) => {
    const output = items(answer).map((item, output_index) => ({ item, output_index }));
    const added = output.map(({ item, output_index }) => ({
      type: 'response.output_item.added',
      output_index,
      item: emptied(item),
    }));
    const done = output.map((one) => ({ type: 'response.output_item.done', ...one }));
    const isCall = (index: number): boolean => output[index]?.item['type'] === 'function_call';
    const grown = (index: number, half: number): Json[] =>
      growth(output[index]?.item ?? {}, index, half);
    const indexes = [...output.keys()];
    const [calls, others] = [indexes.filter(isCall), indexes.filter((index) => !isCall(index))];
    const at =
      (list: readonly Json[]) =>
      (index: number): Json =>
        list[index] ?? {};
    const whole = response(answer);
    return [
      { type: 'response.created', response: { ...whole, status: 'in_progress', output: [] } },
      ...others.flatMap((index) => [
        at(added)(index),
        ...grown(index, 0),
        ...grown(index, 1),
        at(done)(index),
      ]),
      // Parallel calls are open at once and grow in turn.
      ...calls.map(at(added)),
      ...[0, 1].flatMap((half) => calls.flatMap((index) => grown(index, half))),
      ...calls.map(at(done)),
      { type: `response.${String(whole['status'])}`, response: whole },
    ].map((event, sequence_number) => ({ ...event, sequence_number }));
  },
  frame: named,
  end: '',
  failure: (kind) => ({
    type: 'error',
    sequence_number: 99,
    error:
      kind === 'overloaded'
        ? { type: 'server_error', code: 'server_overloaded', message: 'LEAK', param: null }
        : { type: 'rate_limit_error', code: 'rate_limit_exceeded', message: 'LEAK', param: null },
  }),
};

function emptied(item: Json): Json {
  if (item['type'] === 'message') return { ...item, status: 'in_progress', content: [] };
  if (item['type'] === 'function_call') return { ...item, status: 'in_progress', arguments: '' };
  if (item['type'] === 'reasoning') return { ...item, summary: [] };
  return { ...item, status: 'in_progress' };
}

function growth(item: Json, output_index: number, half: number): Json[] {
  const at = { item_id: item['id'], output_index };
  if (item['type'] === 'function_call') {
    const delta = halves(String(item['arguments']))[half] ?? '';
    return [{ type: 'response.function_call_arguments.delta', ...at, delta }];
  }
  if (item['type'] === 'message') {
    const [part] = item['content'] as { text: string }[];
    const delta = halves(part?.text)[half] ?? '';
    return [{ type: 'response.output_text.delta', ...at, content_index: 0, delta }];
  }
  if (item['type'] !== 'reasoning') return [];
  const [summary] = item['summary'] as { text: string }[];
  const delta = halves(summary?.text)[half] ?? '';
  const start = { ...at, summary_index: 0 };
  return [
    ...(half === 0
      ? [
          {
            type: 'response.reasoning_summary_part.added',
            ...start,
            part: { type: 'summary_text', text: '' },
          },
        ]
      : []),
    { type: 'response.reasoning_summary_text.delta', ...start, delta },
  ];
}

const stops = {
  stop: 'end_turn',
  calls: 'tool_use',
  length: 'max_tokens',
  filter: 'refusal',
  odd: 'sudden_doubt',
};
const message = { id: 'c-1', type: 'message', role: 'assistant', model: 'm-1' };
/** Cached tokens are beside the input here, not part of it. */
const messageUsage = {
  input_tokens: 60,
  cache_read_input_tokens: 30,
  cache_creation_input_tokens: 10,
};

const messages: WireFormat = {
  whole: (answer) => ({
    ...message,
    content: blocks(answer),
    stop_reason: stops[endOf(answer)],
    stop_sequence: null,
    usage: { ...messageUsage, output_tokens: 50 },
  }),
  events: (answer) => [
    {
      type: 'message_start',
      message: {
        ...message,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...messageUsage, output_tokens: 1 },
      },
    },
    { type: 'ping' },
    ...blocks(answer).flatMap(blockEvents),
    {
      type: 'message_delta',
      delta: { stop_reason: stops[endOf(answer)], stop_sequence: null },
      // Running totals, not what came since.
      usage: { ...messageUsage, output_tokens: 20 },
    },
    {
      type: 'message_delta',
      delta: { stop_reason: stops[endOf(answer)], stop_sequence: null },
      usage: { ...messageUsage, output_tokens: 50 },
    },
    { type: 'message_stop' },
  ],
  frame: named,
  end: '',
  failure: (kind) => ({
    type: 'error',
    error: {
      type: kind === 'overloaded' ? 'overloaded_error' : 'rate_limit_error',
      message: 'LEAK',
    },
  }),
};

function blocks({ text, reasoning, calls = [], hosted }: Answer): Json[] {
  return [
    ...(reasoning === undefined
      ? []
      : [{ type: 'thinking', thinking: reasoning, signature: 'sig-1' }]),
    ...(hosted === undefined
      ? []
      : [
          { type: 'server_tool_use', id: 'srv', name: 'web_search', input: { query: 'q' } },
          { type: 'web_search_tool_result', tool_use_id: 'srv', content: [] },
        ]),
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...calls.map(({ id, name, input }) => ({
      type: 'tool_use',
      id,
      name,
      input: JSON.parse(input) as Json,
    })),
  ];
}

function blockEvents(block: Json, index: number): Json[] {
  const delta = (piece: Json): Json => ({ type: 'content_block_delta', index, delta: piece });
  const start = (content_block: Json): Json => ({
    type: 'content_block_start',
    index,
    content_block,
  });
  const stop = { type: 'content_block_stop', index };
  switch (block['type']) {
    case 'text':
      return [
        start({ type: 'text', text: '' }),
        ...halves(String(block['text'])).map((text) => delta({ type: 'text_delta', text })),
        stop,
      ];
    case 'thinking':
      return [
        start({ type: 'thinking', thinking: '', signature: '' }),
        ...halves(String(block['thinking'])).map((thinking) =>
          delta({ type: 'thinking_delta', thinking }),
        ),
        delta({ type: 'signature_delta', signature: block['signature'] }),
        stop,
      ];
    case 'web_search_tool_result':
      return [start(block), stop];
    default:
      return [
        start({ ...block, input: {} }),
        ...halves(JSON.stringify(block['input'])).map((partial_json) =>
          delta({ type: 'input_json_delta', partial_json }),
        ),
        stop,
      ];
  }
}

function named(event: Json): string {
  return `event: ${String(event['type'])}\n${data(event)}`;
}

function halves(text: string | undefined): string[] {
  if (text === undefined || text === '') return [];
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== '');
}

export const WIRES: Readonly<Record<Wire, WireFormat>> = { chat, responses, messages };
