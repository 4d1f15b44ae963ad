import {
  type ChatModel,
  type ChatStreamPart,
  ModelError,
  type ModelPart,
  type ModelRequest,
  type ModelResponse,
} from '../../src/index.ts';
import { canary } from './canary.ts';
import type { Process } from './process.ts';
import type { Answer, ScriptedCall } from './script.ts';
import { pause } from './timers.ts';
import type { World } from './world.ts';

/** A model that answers the script, by `generate` and by `stream` alike, and keeps every request it was sent. */
export function modelOf(world: World, process: Process): ChatModel {
  return {
    id: 'scripted',
    async generate(request) {
      const { answer, number } = await take(world, process, request);
      return answer === 'garbage' || answer === 'breaks off'
        ? ({ text: canary('A', number) } as never) // what no ChatModel may give is the point
        : responseOf(answer, number);
    },
    async *stream(request) {
      const { answer, number } = await take(world, process, request);
      if (answer === 'garbage') yield 42 as never; // as above
      const { content, ...result } = responseOf(answer === 'breaks off' ? 'text' : answer, number);
      for (const part of content) {
        for (const piece of piecesOf(part)) {
          process.moment();
          yield piece;
          if (answer === 'breaks off') return;
        }
      }
      yield { type: 'finish', result };
    },
  };
}

async function take(world: World, process: Process, request: ModelRequest) {
  if (process.frozen) await new Promise(() => undefined);
  const { leg } = process;
  if (process.was('cancel', 'abort')) world.problem('P4: the model was called after the cancel');
  world.requests.push({ at: world.tick(), leg, request });
  process.moment();
  const next = world.nextAnswer(leg);
  if (next.answer === 'slow text') await pause(2);
  if (next.answer === 'throws') throw new Error('the line is down');
  if (next.answer === 'refused') {
    throw new ModelError('refused', { where: 'model', what: 'it refused', fix: 'Ask otherwise' });
  }
  return next;
}

function responseOf(answer: Answer, number: number): ModelResponse {
  const usage = { inputTokens: 10, outputTokens: 20 };
  const text: ModelPart = { type: 'text', text: `answer ${canary('A', number)}` };
  const thoughts: ModelPart = { type: 'reasoning', text: `think ${canary('R', number)}` };
  if (typeof answer !== 'string') {
    const calls = answer.calls.map((call, index) => callOf(call, number, index));
    const content = [...(answer.reasoning ? [thoughts] : []), ...(answer.text ? [text] : [])];
    return { content: [...content, ...calls], finishReason: answer.finish ?? 'tool-calls', usage };
  }
  switch (answer) {
    case 'empty':
      return { content: [], finishReason: 'stop', usage };
    case 'thoughtful text':
      return { content: [thoughts, text], finishReason: 'stop', usage };
    case 'cut text':
      return { content: [text], finishReason: 'length', usage };
    case 'filtered':
      return { content: [text], finishReason: 'content-filter', usage };
    case 'error finish':
      return { content: [text], finishReason: 'error', usage };
    default:
      return { content: [text], finishReason: 'stop', usage };
  }
}

function callOf(call: ScriptedCall, number: number, index: number): ModelPart {
  const [toolName = '', how = ''] = call.split(' ');
  const id = canary('I', `${number}.${index}`);
  return {
    type: 'tool-call',
    // Providers count their calls anew in every answer.
    call: { id: `call_${index}`, toolName, inputText: inputText(how, id) },
  };
}

function inputText(how: string, id: string): string {
  switch (how) {
    case 'blank':
      return ' ';
    case 'cut':
      return `{"id":"${id}`;
    case 'list':
      return `["${id}"]`;
    case 'misfit':
      return `{"id":{"of":"${id}"}}`;
    case 'proto':
      return `{"id":"${id}","__proto__":{"admin":true}}`;
    default:
      return JSON.stringify({ id });
  }
}

function piecesOf(part: ModelPart): readonly ChatStreamPart[] {
  if (part.type === 'file') return [];
  if (part.type === 'tool-call') {
    const { id, toolName, inputText: text } = part.call;
    return [{ type: 'tool-input', id, toolName, text }, part];
  }
  const middle = Math.ceil(part.text.length / 2);
  return [
    { type: part.type, text: part.text.slice(0, middle) },
    { type: part.type, text: part.text.slice(middle) },
  ];
}
