import type { JsonObject } from '../protocol/json.ts';
import { checkReplyParts, readReply } from './reply-rules.ts';
import type { Assign, Reply, ResultRules } from './result-port.ts';
import { at, checkResultPath, faulty, type RulePlace, readAssign } from './result-rules.ts';

interface Given {
  readonly name: string;
  readonly assign?: readonly Assign[];
  readonly replies?: readonly Reply[];
  readonly endsConversation?: boolean;
  readonly goodbye?: string;
}

/** What a tool itself says of its results; nothing where it says nothing. Throws `ConfigError`. */
export function toolRules(
  given: Given,
  resultSchema: (() => JsonObject) | undefined,
): ResultRules | undefined {
  const { name, assign: rows = [], replies: lines = [], endsConversation, goodbye } = given;
  const ofTool = { where: `tool '${name}'`, code: 'invalid-tool' } as const;
  checkEnd(ofTool, given);
  if (rows.length === 0 && lines.length === 0 && endsConversation !== true) return undefined;
  const place: RulePlace = { ...ofTool, option: 'assign' };
  const assign = readAssign(place, rows);
  for (const [index, { path }] of assign.entries())
    checkResultPath(at(place, index), path, resultSchema);
  const replies = lines.map((line, index) => {
    const here = at({ ...ofTool, option: 'replies' }, index);
    const reply = readReply(here, line);
    checkReplyParts(here, reply, resultSchema);
    return reply;
  });
  if (goodbye !== undefined) {
    const line = { when: [], state: [], say: [goodbye] };
    checkReplyParts({ ...ofTool, option: 'goodbye' }, line, resultSchema);
  }
  return Object.freeze({
    assign,
    replies: Object.freeze(replies),
    ...(endsConversation === true && { endsConversation }),
    ...(goodbye !== undefined && { goodbye }),
  });
}

function checkEnd(
  ofTool: Pick<RulePlace, 'where' | 'code'>,
  { replies = [], endsConversation, goodbye }: Given,
): void {
  if (endsConversation !== true && goodbye !== undefined) {
    const what = 'the tool does not end the conversation';
    const fix = 'Set `endsConversation: true`, or say it with `replies`';
    throw faulty({ ...ofTool, option: 'goodbye' }, what, fix);
  }
  if (endsConversation === true && replies.length > 0)
    throw endsAnyway({ ...ofTool, option: 'replies' });
}

/** Nobody is there any more to read an answer to the end of a conversation. */
export function endsAnyway(place: RulePlace): Error {
  const what = 'the tool ends the conversation, and nothing is said after that';
  return faulty(place, what, 'Say it before, with `announce` and `announceWait`, or in `goodbye`');
}
