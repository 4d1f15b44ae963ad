import {
  createAgent,
  Policy,
  ResponseDecision,
  type RunResult,
  scriptedModel,
} from '../../../src/index.ts';
import { sqliteStore } from '../../../src/stores/sqlite.ts';

class RejectAll extends Policy {
  override onLlmResponse(): ResponseDecision {
    return ResponseDecision.retryWithFeedback('do better');
  }
}

/** Takes some steps of the turn of thread `t`, the first of them with a message, and prints how each ended. */
const [path = '', steps = '0', begins = '', policy = ''] = process.argv.slice(2);
const store = sqliteStore({ path });
const agent = createAgent({
  name: 'a',
  model: scriptedModel(Array.from({ length: 20 }, () => 'an answer')),
  store,
  hooks: policy === 'reject' ? [new RejectAll()] : [],
});
const results: RunResult[] = [];
for (let step = 1; step <= Number(steps); step += 1) {
  const isFirst = step === 1 && begins === 'begin';
  const result = await agent.runStep({ threadId: 't', ...(isFirst && { message: 'go' }) });
  results.push(result);
  if (result.status !== 'continues') break;
}
await store.close?.();
process.stdout.write(
  JSON.stringify(
    results.map((result) => ({ ...result, ...('error' in result && errorOf(result)) })),
  ),
);

function errorOf({ error }: Extract<RunResult, { readonly status: 'failed' }>): object {
  return { error: { ...error, code: error.code, message: error.message } };
}
