import { readOpenAiChat, toolCallsOf, toolResultsOf } from 'agent-hooks';
import { readRecordings } from './recording.ts';
import { type Airline, airlineTools } from './tools.ts';

/** For the live mode: what the tools answered in any of the records. Nothing is ever written. */
export function recordedDesk(): Airline {
  const answers = readAnswers();
  const writing = new Set(
    airlineTools.filter(({ sideEffects }) => sideEffects === 'once').map(({ name }) => name),
  );
  return {
    answer(toolName, input) {
      if (toolName === 'think') return '';
      if (toolName === 'transfer_to_human_agents') return 'Transfer successful';
      if (writing.has(toolName)) return 'Done. (A demo: nothing was changed.)';
      return answers.get(keyOf(toolName, input)) ?? 'Error: this is not in the recorded data';
    },
  };
}

function readAnswers(): ReadonlyMap<string, string> {
  const answers = new Map<string, string>();
  for (const { transcript } of readRecordings()) {
    const messages = readOpenAiChat(transcript);
    const inputs = new Map(messages.flatMap(toolCallsOf).map((call) => [call.callId, call.input]));
    for (const { callId, toolName, output } of messages.flatMap(toolResultsOf)) {
      const key = keyOf(toolName, inputs.get(callId) ?? {});
      // The first answer is that of before anything was written.
      if (!answers.has(key)) answers.set(key, String(output));
    }
  }
  return answers;
}

function keyOf(toolName: string, input: unknown): string {
  const members = Object.entries(input ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([toolName, members]);
}
