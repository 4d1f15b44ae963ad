import type { CheckInput } from '../hooks/gate.ts';
import { isThenable } from '../internal/is-thenable.ts';
import type { ToolPort } from '../tools/port.ts';
import { isChildTool } from './child-tool.ts';
import type { Session } from './session.ts';
import type { BatchCall } from './state.ts';

type Checked = Awaited<ReturnType<CheckInput>>;

/** Milliseconds an asynchronous schema may take, as much as a policy that decides. */
const MAX_CHECK_MS = 5_000;

/** Checks the input against the tool as it is now: it may have changed while a person thought about the call. */
export function checkCall(
  call: BatchCall,
  session: Session,
): BatchCall | Promise<BatchCall | 'cancelled'> {
  if (call.refusal?.outcome !== 'invalid' && call.refusal !== undefined) return call;
  const tool = session.ports.tools.get(call.toolName);
  if (tool === undefined) {
    const known = session.ports.tools.names.join(', ') || 'none';
    const reason = `there is no tool of this name; there are: ${known}`;
    return { ...call, refusal: { outcome: 'unknown-tool', by: 'agent', reason } };
  }
  if (call.refusal !== undefined) return call;
  try {
    const checked = tool.check(call.effectiveInput);
    if (!isThenable(checked)) return withCheck(call, tool, checked);
    const checking = Promise.resolve(checked).then((answer) => withCheck(call, tool, answer));
    return settle(checking, session, (why) => withCheck(call, tool, why));
  } catch {
    return withCheck(call, tool, BROKEN_SCHEMA);
  }
}

/** Waits for the schema, its time limit or the cancel. What comes after that counts for nothing. */
function settle(
  checking: Promise<BatchCall>,
  session: Session,
  refuse: (why: Checked) => BatchCall,
): Promise<BatchCall | 'cancelled'> {
  return new Promise((resolve) => {
    // A turn that is cancelled already ends the wait before there is a listener to stop.
    let stop = (): unknown => undefined;
    const end = (answer: BatchCall | 'cancelled'): void => {
      clearTimeout(timer);
      stop();
      session.now();
      resolve(answer);
    };
    const timer = setTimeout(() => end(refuse(SLOW_SCHEMA)), MAX_CHECK_MS);
    stop = session.options.cancel.onCancel(() => end('cancelled'));
    checking.then(end, () => end(refuse(BROKEN_SCHEMA)));
  });
}

/** What a schema threw may quote the input, so it is not passed on. */
const BROKEN_SCHEMA = Object.freeze({
  problem: 'the schema of the tool failed while it checked them',
});

const SLOW_SCHEMA = Object.freeze({
  problem: `the schema of the tool did not answer within ${MAX_CHECK_MS / 1_000} s`,
});

function withCheck(call: BatchCall, tool: ToolPort<never>, checked: Checked): BatchCall {
  if ('problem' in checked)
    return { ...call, refusal: { outcome: 'invalid', by: 'agent', reason: checked.problem } };
  const { displayName, tier, sideEffects, parallel } = tool;
  const { input } = checked;
  if (input === call.effectiveInput && isUpToDate(call, tool)) return call;
  const { isChild: _before, ...rest } = call;
  const now = { ...rest, displayName, tier, sideEffects, parallel, effectiveInput: input };
  return isChildTool(tool) ? { ...now, isChild: true } : now;
}

function isUpToDate(call: BatchCall, tool: ToolPort<never>): boolean {
  return (
    call.displayName === tool.displayName &&
    call.tier === tool.tier &&
    call.sideEffects === tool.sideEffects &&
    call.parallel === tool.parallel &&
    (call.isChild === true) === isChildTool(tool)
  );
}
