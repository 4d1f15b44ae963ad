import { readText } from '../../internal/read-text.ts';
import { redactSecrets } from '../../internal/redact-secrets.ts';
import { isRecord } from './read-values.ts';

/**
 * What a provider package threw, as a log may keep it: names, texts, codes and statuses. Its URL, headers, request
 * and response bodies are left behind, as they hold prompts, personal data and sometimes keys.
 */
export function redactCause(thrown: unknown, depth = 3): Error | undefined {
  if (!isRecord(thrown) || depth === 0) return undefined;
  const told = isRecord(thrown['error']) ? thrown['error'] : thrown;
  const text = readText(thrown, 'message') ?? readText(told, 'message') ?? '';
  const cause = redactCause(thrown['cause'], depth - 1);
  const kept = new Error(redactSecrets(text), cause === undefined ? undefined : { cause });
  kept.name = readText(thrown, 'name') ?? readText(told, 'type') ?? 'Error';
  const stack = readText(thrown, 'stack');
  if (stack !== undefined) kept.stack = redactSecrets(stack);
  const status = thrown['statusCode'] ?? thrown['status'];
  if (typeof status === 'number') Object.assign(kept, { statusCode: status });
  const code = readText(told, 'code') ?? providerCode(thrown);
  if (code !== undefined) Object.assign(kept, { code: redactSecrets(code) });
  return kept;
}

function providerCode({ data }: { readonly [key: string]: unknown }): string | undefined {
  const told = isRecord(data) && isRecord(data['error']) ? data['error'] : {};
  return readText(told, 'code') ?? readText(told, 'type');
}
