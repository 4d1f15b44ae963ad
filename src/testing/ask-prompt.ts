import { HookRun } from '../hooks/hook-run.ts';
import { chainPrompt } from '../hooks/prompt-chain.ts';
import type { PromptAnswer } from './around-answer.ts';
import { type AskedAround, strict } from './ask-around.ts';
import { settingOf } from './ask-options.ts';

/** Lets the policy build on a system prompt. */
export async function askAboutPrompt(asked: AskedAround, prompt: string): Promise<PromptAnswer> {
  const { entry, options } = asked;
  const setting = settingOf(options);
  const { facts, ports, moment, memory } = setting;
  const run = new HookRun(facts, ports);
  try {
    const entries = [strict(entry)];
    const verdict = chainPrompt(
      { run, point: 'systemPrompt', entries, moment },
      prompt,
      facts.model,
    );
    const { policy, failure } = entry;
    const said = { policy, point: 'systemPrompt', memory: memory() } as const;
    switch (verdict.type) {
      case 'pass':
        return Object.freeze({ ...said, type: 'answered', value: verdict.value });
      case 'failed': {
        const { error } = verdict;
        return Object.freeze({ ...said, type: 'failed', kind: error.kind, error, failure });
      }
      case 'cancelled':
        return Object.freeze({ ...said, type: 'cancelled' });
    }
  } finally {
    run.close();
    ports.cancel.close();
  }
}
