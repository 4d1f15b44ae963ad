import type { Agent, HookPoint, ResumeInput, RunResult, ThreadStore } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { HOOK_POINTS } from '../../src/hooks/points.ts';
import { answer, answering, BAD, GOOD, go, WAYS } from '../loop/answering.ts';
import { answersTo } from './approve.ts';
import { MODES } from './modes.ts';
import {
  type Asked,
  type Build,
  callingAgent,
  plainAgent,
  type Setting,
  storeWithTurn,
  watchAll,
} from './points-scene.ts';

/** Where a policy can be asked beside the turn that a user began. */
type Site =
  | 'turn'
  | 'resumed'
  | 'summary'
  | 'subagent'
  | 'subagent resumed'
  | 'summary of a subagent'
  | 'asked again as text'
  | 'asked again as a call';

const TURNS = ['turn', 'resumed', 'subagent', 'subagent resumed'] as const;
const SUMMARIES = ['summary', 'summary of a subagent'] as const;
const AGAIN = ['asked again as text', 'asked again as a call'] as const;
const ALL: readonly Site[] = [...TURNS, ...SUMMARIES, ...AGAIN];

/** Where each point is asked. A beginning is none when a turn goes on, and a summary is shown to nobody and runs nothing. */
const ASKED: { readonly [Point in HookPoint]: readonly Site[] } = {
  onTurnStart: ['turn', 'subagent'],
  onUserMessage: ['turn', 'subagent'],
  systemPrompt: ALL,
  preLlmRequest: ALL,
  wrapLlmCall: ALL,
  onTextWindow: [...TURNS, ...AGAIN],
  onLlmResponse: ALL,
  preToolUse: [...TURNS, 'asked again as a call'],
  wrapToolUse: TURNS,
  postToolUse: TURNS,
  onKnowledgeQuery: TURNS,
  onKnowledgeResults: TURNS,
  onOutgoingMessage: [...TURNS, ...AGAIN],
  onError: [...TURNS, ...SUMMARIES],
  onContextCompact: SUMMARIES,
  onEvent: ALL,
};

function pointsOf(site: Site): readonly HookPoint[] {
  return HOOK_POINTS.filter((point) => ASKED[point].includes(site));
}

function pointsIn(asked: readonly Asked[], isHere: (one: Asked) => boolean): readonly HookPoint[] {
  const here = new Set(asked.filter(isHere).map(({ point }) => point));
  return HOOK_POINTS.filter((point) => here.has(point));
}

const isBelow = ({ threadId }: Asked): boolean => threadId.startsWith('t/');
const isSummary = ({ purpose }: Asked): boolean => purpose === 'compaction';

const AGENTS = [
  { who: 'an agent', build: plainAgent, isOwn: (one: Asked) => !isBelow(one) },
  { who: 'a subagent', build: callingAgent, isOwn: isBelow },
] as const;

const siteOf = (build: Build, isResumed: boolean): Site => {
  if (build === plainAgent) return isResumed ? 'resumed' : 'turn';
  return isResumed ? 'subagent resumed' : 'subagent';
};

const RESUMES = [
  { name: 'resume', go: (agent: Agent, input: ResumeInput<unknown>) => agent.resume(input) },
  {
    name: 'streamResume',
    go: async (agent: Agent, input: ResumeInput<unknown>) => {
      const stream = agent.streamResume(input);
      for await (const _event of stream);
      return stream.result;
    },
  },
] as const;

/** One call for a summary that comes back, and one that fails. */
const WRITERS = ['Look.', new Error('down')] as const;

describe.each(AGENTS)('7.1, 7.20: $who', ({ build, isOwn }) => {
  const summary: Site = build === plainAgent ? 'summary' : 'summary of a subagent';

  test.each(MODES)(
    'is asked at every point of a turn and of its summary, in $name',
    async (mode) => {
      const asked: Asked[] = [];
      for (const writer of WRITERS) {
        const hook = watchAll((one) => void asked.push(one));
        const agent = build({ hook, writer, asks: false, store: await storeWithTurn() });
        const result = await mode.turn(agent, { threadId: 't', message: 'go' });
        expect(result).toMatchObject({ status: 'completed', text: 'done' });
      }
      const turn = pointsIn(asked, (one) => isOwn(one) && !isSummary(one));
      expect(turn).toEqual(pointsOf(siteOf(build, false)));
      expect(pointsIn(asked, (one) => isOwn(one) && isSummary(one))).toEqual(pointsOf(summary));
    },
  );

  test.each(RESUMES)('is asked at every point that is left, by $name', async ({ go }) => {
    const asked: Asked[] = [];
    for (const writer of WRITERS) {
      const hook = watchAll((one) => void asked.push(one));
      const store = await storeWithTurn();
      const result = await pauseAndResume(build, { hook, writer, store, go });
      expect(result).toMatchObject({ status: 'completed', text: 'done' });
    }
    const turn = pointsIn(asked, (one) => isOwn(one) && !isSummary(one));
    expect(turn).toEqual(pointsOf(siteOf(build, true)));
    expect(pointsIn(asked, (one) => isOwn(one) && isSummary(one))).toEqual(pointsOf(summary));
  });
});

/** Another agent object goes on with the turn, as another process would. */
async function pauseAndResume(
  build: Build,
  on: Pick<Setting, 'hook' | 'writer' | 'store'> & Pick<(typeof RESUMES)[number], 'go'>,
): Promise<RunResult> {
  const setting = { ...on, asks: true };
  const first = build({ ...setting, hook: watchAll(() => undefined) });
  let result = await first.run({ threadId: 't', message: 'go' });
  const other = build(setting);
  // A subagent has two batches, each of which waits.
  while (result.status === 'awaiting-approval')
    result = await on.go(other, { threadId: 't', answers: answersTo(result, true) });
  return result;
}

const ASKING: readonly (readonly [mode: string, ask: (agent: Agent) => Promise<RunResult>])[] = [
  ['run', (agent) => agent.run(go)],
  ['stream', (agent) => agent.stream(go).result],
  [
    'runStep',
    async (agent) => {
      const { message: _said, ...rest } = go;
      let result: RunResult = await agent.runStep(go);
      while (result.status === 'continues') result = await agent.runStep(rest);
      return result;
    },
  ],
];

describe.each(WAYS)('7.1, 7.20: an answer that is asked for again, %s', (way) => {
  const site = way === 'native' ? 'asked again as text' : 'asked again as a call';

  test.each(ASKING)('is asked about at every point, in %s', async (_mode, ask) => {
    const asked: Asked[] = [];
    const hooks = [watchAll((one) => void asked.push(one))];
    const script = [answer(way, BAD), answer(way, GOOD)];
    const { agent } = answering({ way, script, hooks });
    expect(await ask(agent)).toMatchObject({ status: 'completed', output: GOOD });
    expect(pointsIn(asked, ({ step }) => step === 2)).toEqual(pointsOf(site));
  });
});

/** How a turn ends whose policy fails at a point, where that is closed, and what then enters no history. */
const STOPS: { readonly [Point in HookPoint]: readonly [status: string, gone: string] } = {
  onTurnStart: ['failed', 'One moment.'],
  onUserMessage: ['failed', 'One moment.'],
  systemPrompt: ['failed', 'done'],
  preLlmRequest: ['failed', 'done'],
  wrapLlmCall: ['failed', 'done'],
  onTextWindow: ['failed', 'done'],
  onLlmResponse: ['failed', 'done'],
  preToolUse: ['failed', 'seven'],
  wrapToolUse: ['completed', 'seven'],
  postToolUse: ['completed', 'seven'],
  onKnowledgeQuery: ['completed', 'nine'],
  onKnowledgeResults: ['completed', 'nine'],
  onOutgoingMessage: ['failed', 'One moment.'],
  onError: ['failed', 'done'],
  // Neither stops anything.
  onContextCompact: ['completed', 'A summary'],
  onEvent: ['completed', 'A summary'],
};

async function tracesOf(store: ThreadStore, threadId: string) {
  const events = await store.readEvents(threadId);
  return {
    status: events.findLast((event) => event.type === 'turn.finished')?.status,
    history: JSON.stringify(await store.readMessages(threadId)),
    compacted: events.filter(({ type }) => type === 'context.compacted').length,
  };
}

describe.each(AGENTS)('7.1, 7.20: what $who is told by a policy that fails counts', (agent) => {
  const { build, isOwn } = agent;
  const threadId = build === plainAgent ? 't' : 't/2.1.0';

  const played = async (fails: (one: Asked) => boolean, isResumed: boolean) => {
    const store = await storeWithTurn();
    const hook = watchAll(
      () => undefined,
      (one) => isOwn(one) && fails(one),
    );
    const setting = { hook, writer: 'Look.', store };
    if (isResumed) await pauseAndResume(build, { ...setting, go: RESUMES[0].go });
    else await build({ ...setting, asks: false }).run({ threadId: 't', message: 'go' });
    return tracesOf(store, threadId);
  };

  test.each([false, true])(
    'twin: without a fault all of it is there (resumed: %s)',
    async (isResumed) => {
      const { status, history, compacted } = await played(() => false, isResumed);
      expect([status, compacted]).toEqual(['completed', 1]);
      for (const text of ['One moment.', 'seven', 'nine', 'done']) expect(history).toContain(text);
    },
  );

  const cells = [false, true].flatMap((isResumed) =>
    pointsOf(siteOf(build, isResumed)).map((point) => ({ point, isResumed })),
  );

  test.each(cells)('at $point (resumed: $isResumed)', async ({ point, isResumed }) => {
    const [status, gone] = STOPS[point];
    const seen = await played((one) => one.point === point && !isSummary(one), isResumed);
    expect(seen.status).toBe(status);
    expect(seen.history).not.toContain(gone);
  });

  test.each(HOOK_POINTS.filter((point) => ASKED[point].includes('summary')))(
    'at %s of a summary',
    async (point) => {
      const seen = await played((one) => one.point === point && isSummary(one), false);
      // Whoever is only told cannot stop it.
      const isTold = point === 'onError' || point === 'onEvent';
      expect([seen.status, seen.compacted]).toEqual(['completed', isTold ? 1 : 0]);
    },
  );
});

describe.each(WAYS)('7.20: an answer that is asked for again, %s, when a policy fails', (way) => {
  const site = way === 'native' ? 'asked again as text' : 'asked again as a call';

  test.each(pointsOf(site))('at %s', async (point) => {
    const fails = (one: Asked) => one.point === point && one.step === 2;
    const hooks = [watchAll(() => undefined, fails)];
    const script = [answer(way, BAD), answer(way, GOOD)];
    const { agent, store } = answering({ way, script, hooks });
    const result = await agent.run(go);
    const isTold = point === 'onEvent';
    expect(result.status).toBe(isTold ? 'completed' : 'failed');
    expect('output' in result).toBe(isTold);
    expect((await tracesOf(store, 't')).history.includes('12.5')).toBe(
      isTold || point === 'preToolUse',
    );
  });
});

test('every point that is asked is in the table, and each is asked somewhere', () => {
  expect(Object.keys(ASKED)).toEqual(HOOK_POINTS);
  for (const point of HOOK_POINTS) expect(ASKED[point], point).not.toEqual([]);
});
