import type { Writable } from '../internal/writable.ts';
import { fitsBytes, textOf } from '../protocol/byte-size.ts';
import type { JsonValue } from '../protocol/json.ts';
import { showOutput } from '../protocol/shown-output.ts';
import type { ToolResult } from '../protocol/tool.ts';
import { withFiles } from '../protocol/with-files.ts';
import type { ToolPort } from '../tools/port.ts';
import type { Session } from './session.ts';
import type { BatchCall, FinishedCall } from './state.ts';

type Tool = ToolPort<never> | undefined;

/**
 * From here on the model reads one thing, and code and the ledger another: last of all, so that what a policy put
 * into a result is hidden, cut and fenced like the rest. Every call that has a result passes here once, whichever
 * process ran it, and what comes of it is what the history holds.
 */
export function presentResult(
  ended: Writable<FinishedCall>,
  { callId, toolName }: BatchCall,
  session: Session,
): void {
  const { result } = ended;
  const tool = session.ports.tools.get(toolName);
  const maxBytes = tool?.maxOutputBytes ?? session.ports.maxOutputBytes;
  const output = visibleOutput(result, tool);
  // A file is shown whole or not at all: half of one is none.
  const files = tool?.hidesFiles === true || output === NOT_SHOWN ? undefined : result.files;
  // A tool that is no longer there cannot vouch for what it gave.
  const isFenced = (tool === undefined || tool.untrusted === true) && isOfTool(result);
  if (!isFenced && fitsBytes(output, maxBytes)) {
    if (output !== result.output || files !== result.files)
      ended.shown = withFiles({ ...result, output }, files);
    return;
  }
  const fence = isFenced ? { fence: fenceOf(callId, session) } : {};
  const shown = showOutput(output, { maxBytes, artifactId: callId, ...fence });
  ended.shown = withFiles({ ...result, output: shown.output }, files);
  if (!shown.isCut) return;
  const mediaType = typeof output === 'string' ? 'text/plain' : 'application/json';
  ended.artifact = Object.freeze({
    artifactId: callId,
    toolName,
    mediaType,
    text: textOf(output),
  });
}

/** The same for a call that ended after its turn: a note tells of it, and nothing more than that is kept. */
export function shownLate(
  result: ToolResult,
  { callId, toolName }: Pick<BatchCall, 'callId' | 'toolName'>,
  session: Session,
): { readonly output: JsonValue; readonly files: number } {
  const tool = session.ports.tools.get(toolName);
  const maxBytes = tool?.maxOutputBytes ?? session.ports.maxOutputBytes;
  const isFenced = (tool === undefined || tool.untrusted === true) && isOfTool(result);
  const fence = isFenced ? { fence: fenceOf(callId, session) } : {};
  const { output } = showOutput(visibleOutput(result, tool), { maxBytes, ...fence });
  return { output, files: tool?.hidesFiles === true ? 0 : (result.files?.length ?? 0) };
}

/** What did not work is read whole: nothing of it is hidden. */
function visibleOutput({ outcome, isError, output }: ToolResult, tool: Tool): JsonValue {
  if (outcome !== 'succeeded' || isError || tool?.forModel === undefined) return output;
  try {
    return tool.forModel(output);
  } catch {
    // Whatever it hides stays hidden.
    return NOT_SHOWN;
  }
}

const NOT_SHOWN = 'The call worked. Its result cannot be shown';

/**
 * True where the tool, or what it read, may have chosen the words; of other results they are the engine's, or those of
 * a policy. An unknown outcome has words of its own only as JSON.
 */
function isOfTool({ outcome, output }: ToolResult): boolean {
  if (outcome === 'unknown') return typeof output !== 'string';
  return outcome === 'succeeded' || outcome === 'failed';
}

/** Known to nobody before the call is over, as it is made with a key of the thread. */
function fenceOf(callId: string, session: Session): string {
  return session.digest.of({ fence: callId }).slice(0, FENCE_LENGTH);
}

const FENCE_LENGTH = 20;
