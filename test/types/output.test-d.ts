import { createAgent, type Note, type RunResult, scriptedModel } from 'agent-hooks';
import * as z from 'zod';

const Invoice = z.object({
  total: z.number(),
  due: z.iso.date().transform((text) => new Date(text)),
  note: z.string().default(''),
});
const agent = createAgent({ name: 'a', model: scriptedModel([]) });

type Equal<A, B> =
  (<Type>() => Type extends A ? 1 : 2) extends <Type>() => Type extends B ? 1 : 2 ? true : false;
const holds = <_Claim extends true>(): void => undefined;

type Completed<Result> = Extract<Result, { readonly status: 'completed' }>;
type HasOutput<Result> = 'output' extends keyof Completed<Result> ? true : false;
type Parsed = { total: number; due: Date; note: string };

const wanted = await agent.run({ message: 'x', output: Invoice });
if (wanted.status === 'completed') {
  holds<Equal<typeof wanted.output, Parsed>>();
  const { due } = wanted.output;
  void due.getFullYear();
}
// @ts-expect-error: only a completed turn has an output
void wanted.output;

const plain = await agent.run({ message: 'x' });
if (plain.status === 'completed') {
  void plain.text;
  // @ts-expect-error: without a schema there is no output
  void plain.output;
}

const streamed = await agent.stream({ message: 'x', output: Invoice }).result;
holds<Equal<Completed<typeof streamed>['output'], Parsed>>();
const stepped = await agent.runStep({ threadId: 't', output: Invoice });
holds<Equal<Completed<typeof stepped>['output'], Parsed>>();
const resumed = await agent.resume({ threadId: 't', output: Invoice });
holds<Equal<Completed<typeof resumed>['output'], Parsed>>();
const followed = await agent.streamResume({ threadId: 't', output: Invoice }).result;
holds<Equal<Completed<typeof followed>['output'], Parsed>>();

const streamedPlain = await agent.stream({ message: 'x' }).result;
holds<Equal<HasOutput<typeof streamedPlain>, false>>();
const cancelled = await agent.cancel('t');
holds<Equal<HasOutput<typeof cancelled>, false>>();
holds<Equal<HasOutput<typeof wanted>, true>>();

// A result with an output goes wherever any result does.
const anyResult: RunResult = wanted;
void anyResult;
// @ts-expect-error: but not the other way round
const typed: RunResult<Parsed> = plain;
void typed;

// @ts-expect-error: a schema, not its shape
void agent.run({ message: 'x', output: { total: z.number() } });
// @ts-expect-error: a misspelled option
void agent.run({ message: 'x', ouput: Invoice });

interface App {
  readonly tenant: string;
}
const forApp = createAgent<App>({ name: 'a', model: scriptedModel([]) });
const inApp = await forApp.run({ message: 'x', context: { tenant: 'a' }, output: Invoice });
holds<Equal<Completed<typeof inApp>['output'], Parsed>>();
// @ts-expect-error: the context is needed all the same
void forApp.run({ message: 'x', output: Invoice });

const keeping = createAgent({
  name: 'a',
  model: scriptedModel([]),
  stateSchema: z.object({ seen: z.number().default(0) }),
});
const kept = await keeping.run({ message: 'x', state: { seen: 1 }, output: Invoice });
holds<Equal<Completed<typeof kept>['output'], Parsed>>();
void kept.state?.seen.toFixed();

const note: Note = {
  name: 'steps',
  // @ts-expect-error: what a note goes by is read-only
  text: (info) => `${++info.step}`,
};
void note;
// @ts-expect-error: a note is a text, at once
const late: Note = { name: 'late', text: async () => 'x' };
void late;
