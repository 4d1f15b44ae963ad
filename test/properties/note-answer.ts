import type { ChatResponse, OutgoingText, ToolInvocation } from '../../src/index.ts';
import type { Asking } from './asking.ts';
import { canariesIn } from './canary.ts';
import { batchOf } from './world.ts';

/*
 * What an answer means for the words of what was asked about, in the rules of the points table and nothing else: the
 * loop is not asked. Only what holds whatever else happens is noted, so a cancel or a crash changes nothing of it.
 */

/** `given` is the move of the script, or `fail` for what is no answer where a failure counts. */
export function noteAnswer(given: string, asking: Asking): void {
  const move = effectOf(given, asking);
  switch (asking.point) {
    case 'onTurnStart':
    case 'onUserMessage':
    case 'preLlmRequest':
      noteOpening(move, asking);
      break;
    case 'onLlmResponse':
      noteResponse(move, asking);
      break;
    case 'preToolUse':
      noteCall(move, asking);
      break;
    case 'postToolUse':
      noteResult(move, asking);
      break;
    case 'onOutgoingMessage':
      noteOutgoing(move, asking);
      break;
    case 'onEvent':
      break;
  }
}

const REWRITES = ['modify', 'drop calls', 'add call'];

/** A rewrite that does not fit, and one where only a verdict is asked for, is a failure. */
function effectOf(move: string, { recheck, isClosed, payload }: Asking): string {
  const changesNothing = move === 'drop calls' && (payload as ChatResponse).toolCalls.length === 0;
  if (changesNothing) return 'none';
  const isMisfit = move === 'misfit' || (recheck && REWRITES.includes(move));
  if (!isMisfit) return move;
  return isClosed ? 'fail' : 'none';
}

function noteOpening(move: string, { world, process, point, payload }: Asking): void {
  const why = `${move} at ${point}`;
  const { userWord } = process;
  if (point === 'preLlmRequest') {
    const isRefused = move === 'block' || move === 'fail';
    if (isRefused && !world.isStored(userWord)) world.forbid([userWord], { why });
  } else if (point === 'onTurnStart') {
    if (move === 'block' || move === 'fail') world.forbid([userWord], { why });
  } else if (move === 'modify' || move === 'fail') {
    world.forbid(canariesIn(payload), { why });
  } else if (move === 'block') {
    const kept = world.script.forgetsDiscarded !== true && { discarded: true as const };
    world.forbid(canariesIn(payload), { why, ...kept });
  }
}

function noteResponse(move: string, { world, payload }: Asking): void {
  const response = payload as ChatResponse; // what this point is asked about
  const why = `${move} at onLlmResponse`;
  if (move === 'block' || move === 'retry' || move === 'fail') {
    world.forbid(canariesIn(response.content), { why });
  } else if (move === 'modify') {
    world.forbid(canariesIn([response.text, response.reasoning]), { why });
  } else if (move === 'drop calls') {
    world.forbid(canariesIn(response.toolCalls), { why });
  }
}

function noteCall(move: string, { world, process, payload }: Asking): void {
  const call = payload as ToolInvocation; // what this point is asked about
  world.vote(process, call, move === 'fail' ? 'failed' : move);
  // What is judged again is stored already, and stays so when the turn ends before it has been.
  if (move === 'modify' && !process.judgesAgain(call.callId)) {
    const batch = batchOf(process, call.callId);
    world.forbid(canariesIn(call.effectiveInput), { why: 'modify at preToolUse', batch });
  }
}

/** A rewrite that is still waited for when the turn is cancelled has failed, which is let through where it is open. */
function noteResult(move: string, { world, result, isClosed, isAsync }: Asking): void {
  const isHidden = move === 'fail' || (move === 'modify' && (isClosed || !isAsync));
  // An outcome that came too late, or whose commit failed, is in the ledger before it is asked about.
  const why = `${move} at postToolUse`;
  if (isHidden) world.forbid(canariesIn(result?.output), { why, before: true });
}

function noteOutgoing(move: string, { world, process, payload }: Asking): void {
  const { text, isFinal } = payload as OutgoingText; // what this point is asked about
  // A text beside calls that waited is stored already: who dies before the verdict is, has given none.
  if (!isFinal && process.rejudges !== undefined) return;
  const why = `${move} at onOutgoingMessage`;
  if (move === 'modify' || move === 'fail') {
    world.forbid(canariesIn(text), { why, before: true });
  } else if (move === 'block') {
    const kept = world.script.forgetsDiscarded !== true && { discarded: true as const };
    world.forbid(canariesIn(text), { why, before: true, ...kept });
  }
}
