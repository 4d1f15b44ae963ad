/**
 * What a policy with a fault does to a turn, point by point. Written by hand from what each point promises, not read
 * from the table of points in the sources; docs/hooks.md carries the same words, and is compared with them.
 */
export type Point = keyof typeof EXPECTED;

/** How a turn ends whose policy failed. */
export interface Ending {
  readonly words: string;
  readonly status: 'completed' | 'failed';
  readonly modelCalls: number;
  readonly toolRuns: number;
  readonly stored: string;
  readonly shown: readonly string[];
  readonly toolResult?: unknown;
  readonly compacted?: number;
}

interface Row {
  /** What holds where a policy sets nothing. */
  readonly default: 'closed' | 'open';
  /** `undefined` where a policy cannot choose it. */
  readonly closed: Ending | undefined;
  readonly open: Ending;
  /** How often the point is asked in a turn that goes on to its end. */
  readonly questions: number;
  /** What of the turn is left when it is cancelled there. */
  readonly cancelled: Pick<Ending, 'modelCalls' | 'toolRuns' | 'stored' | 'shown'>;
}

const BROKEN = 'Sorry, something went wrong. Please try again.';
const WITHHELD = 'Sorry, I cannot show you that answer.';

const asIfAbsent = (words: string): Ending => ({
  words,
  status: 'completed',
  modelCalls: 2,
  toolRuns: 1,
  stored: 'user assistant+text tool assistant+text',
  shown: ['Looking.', 'All is well.'],
  toolResult: 'seven',
});

const beforeAll = (words: string): Ending => ({
  words,
  status: 'failed',
  modelCalls: 0,
  toolRuns: 0,
  stored: '',
  shown: [BROKEN],
});

const FOUND = { passages: [{ text: 'seven', source: 'numbers.md', scope: 'docs' }] };
const NOT_SEARCHED_WORDS =
  'The knowledge base cannot be searched now, so nothing was found. Do not guess what it says. Do not claim success.';
const NOT_SEARCHED = { error: NOT_SEARCHED_WORDS };
const FAILED = { error: 'look failed before completing. Do not claim success.' };

const NOTHING = { modelCalls: 0, toolRuns: 0, stored: '', shown: [] } as const;
const ASKED = { modelCalls: 1, toolRuns: 0, stored: 'user', shown: [] } as const;
const RAN = { modelCalls: 1, toolRuns: 1, stored: 'user assistant+text tool', shown: ['Looking.'] };

export const EXPECTED = {
  onTurnStart: {
    default: 'closed',
    closed: beforeAll('the turn ends `failed`; nothing is stored, no model is called'),
    open: asIfAbsent('the turn begins'),
    questions: 1,
    cancelled: NOTHING,
  },
  onUserMessage: {
    default: 'closed',
    closed: beforeAll('the turn ends `failed`; the message is not stored, no model is called'),
    open: asIfAbsent('the message is taken as it came'),
    questions: 1,
    cancelled: NOTHING,
  },
  systemPrompt: {
    default: 'closed',
    closed: beforeAll(
      'the turn ends `failed`; the model is not called, and a first message is not stored',
    ),
    open: asIfAbsent('the prompt is sent as the policies before left it'),
    questions: 2,
    cancelled: NOTHING,
  },
  preLlmRequest: {
    default: 'closed',
    closed: beforeAll(
      'the turn ends `failed`; the model is not called, and a first message is not stored',
    ),
    open: asIfAbsent('the request is sent as the policies before left it'),
    questions: 2,
    cancelled: NOTHING,
  },
  wrapLlmCall: {
    default: 'closed',
    closed: {
      words:
        'the call fails and the turn with it; what of the answer was there is neither stored nor shown',
      status: 'failed',
      modelCalls: 0,
      toolRuns: 0,
      stored: 'user',
      shown: [BROKEN],
    },
    open: asIfAbsent('as if it were not there, unless it had begun to answer: then as closed'),
    questions: 2,
    cancelled: { ...ASKED, modelCalls: 0 },
  },
  onTextWindow: {
    default: 'closed',
    closed: {
      words:
        'the turn ends `failed`; no more of the text leaves, what had left is taken back, nothing is stored',
      status: 'failed',
      modelCalls: 1,
      toolRuns: 0,
      stored: 'user',
      shown: [BROKEN],
    },
    open: asIfAbsent('the text leaves as far as the others let it'),
    questions: 2,
    cancelled: ASKED,
  },
  onLlmResponse: {
    default: 'closed',
    closed: {
      words: 'the turn ends `failed`; the response is neither stored nor shown nor acted on',
      status: 'failed',
      modelCalls: 1,
      toolRuns: 0,
      stored: 'user',
      shown: [BROKEN],
    },
    open: asIfAbsent('the response counts as the policies before left it'),
    questions: 2,
    cancelled: ASKED,
  },
  preToolUse: {
    default: 'closed',
    closed: {
      words:
        'no tool of the batch runs, each call is answered "not executed", the turn ends `failed`',
      status: 'failed',
      modelCalls: 1,
      toolRuns: 0,
      stored: 'user assistant tool',
      shown: [BROKEN],
      toolResult: 'Not executed: a policy failed',
    },
    open: asIfAbsent('the call goes on as if the policy had no opinion'),
    questions: 1,
    cancelled: ASKED,
  },
  wrapToolUse: {
    default: 'closed',
    closed: {
      ...asIfAbsent(
        'the model reads an error, which says whether the tool ran; what the tool did counts',
      ),
      toolRuns: 0,
      toolResult: 'The tool did not run: a policy failed before it. Do not claim success',
    },
    open: asIfAbsent('as if it were not there; what the tool did is used if it ran'),
    questions: 1,
    cancelled: { ...RAN, toolRuns: 0 },
  },
  postToolUse: {
    default: 'open',
    closed: {
      ...asIfAbsent(
        'the model reads an error in the place of the result; what the tool did counts',
      ),
      toolResult:
        'The result was withheld: a policy failed while it was checked. The call itself did run.',
    },
    open: asIfAbsent('the model reads the result as it came'),
    questions: 1,
    cancelled: RAN,
  },
  onKnowledgeQuery: {
    default: 'closed',
    closed: {
      ...asIfAbsent('nothing is searched; the model reads that, and the turn goes on'),
      toolRuns: 0,
      toolResult: NOT_SEARCHED,
    },
    open: {
      ...asIfAbsent('the query is searched for as the policies before left it'),
      toolResult: FOUND,
    },
    questions: 1,
    cancelled: { ...RAN, toolRuns: 0 },
  },
  onKnowledgeResults: {
    default: 'open',
    closed: {
      ...asIfAbsent(
        'the passages are withheld; the model reads that nothing was found, and the turn goes on',
      ),
      toolResult: NOT_SEARCHED,
    },
    open: {
      ...asIfAbsent('the model reads the passages as the policies before left them'),
      toolResult: FOUND,
    },
    questions: 1,
    cancelled: RAN,
  },
  onOutgoingMessage: {
    default: 'open',
    closed: {
      words:
        'each text that was not judged is replaced by the fallback; a last one ends the turn `failed`',
      status: 'failed',
      modelCalls: 2,
      toolRuns: 1,
      stored: 'user assistant tool',
      shown: [WITHHELD, WITHHELD],
      toolResult: 'seven',
    },
    open: asIfAbsent('the text is shown as the policies before left it'),
    questions: 2,
    cancelled: ASKED,
  },
  onError: {
    default: 'closed',
    closed: {
      words: 'counts as abort: the turn ends `failed`, and what the tools did is kept',
      status: 'failed',
      modelCalls: 1,
      toolRuns: 1,
      stored: 'user assistant+text tool',
      shown: ['Looking.', BROKEN],
      toolResult: FAILED,
    },
    open: {
      ...asIfAbsent('counts as no opinion'),
      toolResult: FAILED,
    },
    questions: 1,
    cancelled: RAN,
  },
  onContextCompact: {
    default: 'open',
    closed: {
      ...asIfAbsent(
        'nothing is compacted: the error is told and the step goes on; after an overflow the turn ends `failed`',
      ),
      compacted: 0,
    },
    open: { ...asIfAbsent('the built-in summary is used'), compacted: 1 },
    questions: 1,
    cancelled: NOTHING,
  },
  onEvent: {
    default: 'open',
    closed: undefined,
    open: asIfAbsent('nothing: whoever only watches changes nothing'),
    questions: 0,
    cancelled: { ...NOTHING, stored: 'user' },
  },
} as const satisfies { readonly [point: string]: Row };
