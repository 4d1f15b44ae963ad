import { createHash } from 'node:crypto';
import { canonicalJson } from '../../internal/canonical-json.ts';
import { toJson } from '../../internal/to-json.ts';
import type { McpTool } from './client.ts';

/** What a person approves and a model chooses by: the same text for the same tool, in every process. */
export function fingerprintOf(tool: McpTool): string {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  const said = { name, title, description, inputSchema, outputSchema, annotations };
  return createHash('sha256')
    .update(canonicalJson(toJson(said)))
    .digest('base64url');
}
