import { setImmediate } from 'node:timers/promises';
import * as z from 'zod';

/**
 * The work that every contender does: `steps` model calls, each but the last asking for `calls` small tools at
 * once, the last one answering. Nothing of agent-hooks or of its peers is imported here.
 */
export interface Work {
  readonly steps: number;
  readonly calls: number;
  readonly guards: GuardKind;
}

/**
 * How the three guards answer. `same-tick`: asynchronous functions that have nothing to wait for. `event-loop`:
 * they go through the event loop once, as every guard does that asks a service or a database.
 */
export type GuardKind = 'none' | 'same-tick' | 'event-loop';

/** `bare` is the loop written by hand, `memory` and `sqlite` are agent-hooks, the others its peers. */
export type ContenderName = 'bare' | 'memory' | 'sqlite' | 'ai' | 'pi' | 'pi-loop';

/** One way to do the work. */
export interface Contender {
  readonly name: ContenderName;
  /** Builds what an app builds once, outside of what is timed. */
  readonly prepare: (work: Work) => Turn;
  /** Lets go of what `prepare` opened. */
  readonly close?: () => Promise<void>;
}

/** One turn on a new conversation. Gives the text it ended with. */
export type Turn = () => Promise<string>;

export const SYSTEM = 'You tell the weather.';
export const QUESTION = 'What is the weather?';
export const ANSWER = 'It is warm.';

/** What the model asks for in one step. */
export interface WeatherCall {
  readonly id: string;
  readonly toolName: string;
  readonly inputText: string;
}

const INPUTS = ['Lisbon', 'Porto', 'Faro', 'Braga'].map((city) => JSON.stringify({ city }));

/** The calls of a step, counted from 0; none in the last. Made anew, as a provider's client makes them. */
export function callsOf({ steps, calls }: Work, step: number): WeatherCall[] {
  if (!Number.isInteger(step)) throw new Error(`${step} is no step: the messages are miscounted`);
  const asked: WeatherCall[] = [];
  if (step >= steps - 1) return asked;
  for (let index = 0; index < calls; index += 1) {
    const inputText = INPUTS[index % INPUTS.length] ?? '{}';
    asked.push({ id: `call_${step}_${index}`, toolName: 'weather', inputText });
  }
  return asked;
}

/** How often tools and guards ran. Compared with what the work asks for, outside of what is timed. */
export const counts = { tools: 0, guards: 0 };

/** What one turn adds to `counts`. */
export function expectedCounts({ steps, calls, guards }: Work): typeof counts {
  const tools = (steps - 1) * calls;
  return { tools, guards: guards === 'none' ? 0 : 2 * steps + tools };
}

export const weatherInput: z.ZodObject<{ city: z.ZodString }> = z.object({ city: z.string() });

export async function lookUp(input: {
  readonly city: string;
}): Promise<{ readonly degrees: number }> {
  counts.tools += 1;
  return { degrees: input.city.length };
}

/** As much of a message as the guards read. All contenders have it in this form. */
interface Spoken {
  readonly role: string;
  readonly content: string | readonly { readonly type: string; readonly text?: string }[];
}

/** The three guards, as plain functions: one each before the call, after it, and before the tool. */
export interface Guards {
  readonly request: (request: { readonly messages: readonly Spoken[] }) => Promise<boolean>;
  readonly response: (text: string) => Promise<boolean>;
  readonly tool: (toolName: string) => Promise<boolean>;
}

const CARD = /\b(?:\d[ -]?){13,19}\b/;
const ALLOWED = new Set(['weather', 'forecast']);

const sameTick: Guards = {
  request: async ({ messages }) => {
    counts.guards += 1;
    const last = messages.at(-1);
    return last?.role !== 'user' || !textOf(last).includes('ignore all previous instructions');
  },
  response: async (text) => {
    counts.guards += 1;
    return !CARD.test(text);
  },
  tool: async (toolName) => {
    counts.guards += 1;
    return ALLOWED.has(toolName);
  },
};

const throughTheLoop: Guards = {
  request: async (request) => (await setImmediate(true)) && sameTick.request(request),
  response: async (text) => (await setImmediate(true)) && sameTick.response(text),
  tool: async (toolName) => (await setImmediate(true)) && sameTick.tool(toolName),
};

export function guardsOf(kind: GuardKind): Guards | undefined {
  if (kind === 'none') return undefined;
  return kind === 'same-tick' ? sameTick : throughTheLoop;
}

function textOf({ content }: Spoken): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
