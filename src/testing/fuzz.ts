import { AssertionError } from 'node:assert';
import { pathToFileURL } from 'node:url';
import type { AgentHooks } from '../hooks/agent-hooks.ts';
import { explore } from './fuzz/explore.ts';
import type { FuzzReport } from './fuzz/fault.ts';
import type { FuzzPoint } from './fuzz/fuzz-point.ts';
import { loadFastCheck } from './fuzz/load-fast-check.ts';
import { type FuzzOptions, settingFrom } from './fuzz/options.ts';
import { hrefOf, isPolicyModule, type PolicyModule } from './fuzz/policy-module.ts';
import { subjectOf } from './fuzz/subject.ts';
import { exploreWatched } from './fuzz/watched.ts';
import { wordsOf } from './fuzz/words.ts';

export type { Fault, FaultKind, FuzzInput, FuzzReport } from './fuzz/fault.ts';
export type { FuzzPoint } from './fuzz/fuzz-point.ts';
export type { FuzzOptions } from './fuzz/options.ts';
export type { PolicyModule } from './fuzz/policy-module.ts';

/**
 * Asks a policy at one point about inputs of every kind and tells what is wrong with it, each fault with the smallest
 * input found. At any input a policy must not throw, hang, be late, change its input, answer differently the second
 * time, forget its decision, answer with anything but a legal decision of plain JSON, rewrite its own rewrite, repeat
 * a secret of the input in a reason, take a time that grows faster than the text, or block whatever it is asked.
 *
 * A policy is asked in this thread, which a call that never returns would stop for good: slow growth is found by small
 * steps before it gets there, an endless loop is not. By its module it is asked in a thread of its own, which is ended
 * when it is stuck, and the report tells of it.
 *
 * Needs the package `fast-check`. Takes at most `timeMs`, 5 seconds by default, and then the end of the last call.
 * Throws `ConfigError` for an unusable option, for what is no policy with this point, and without that package. Faults
 * are never thrown: see `assertHealthy`.
 *
 * @example
 * assertHealthy(await fuzzPolicy(new RefundLimit(), 'preToolUse', { tools: [refund] }));
 * const module = new URL('./refund-limit.js', import.meta.url);
 * assertHealthy(await fuzzPolicy({ module, export: 'RefundLimit' }, 'preToolUse'));
 */
export async function fuzzPolicy<Context = unknown>(
  policy: AgentHooks<Context> | AgentHooks<never> | PolicyModule,
  point: FuzzPoint,
  options: FuzzOptions<Context> = {},
): Promise<FuzzReport> {
  const setting = settingFrom(options as FuzzOptions);
  const fc = await loadFastCheck();
  if (isPolicyModule(policy)) {
    const { export: exportName = 'default', args = [] } = policy;
    const tools = setting.tools.map(({ port: _port, ...facts }) => facts);
    const task = { href: hrefOf(policy), exportName, args, point, setting: { ...setting, tools } };
    return exploreWatched({ task, worker: workerUrl() });
  }
  const subject = subjectOf(policy, point, setting);
  return explore({ fc, subject, words: wordsOf(policy, point) });
}

/** Beside this file, in the sources and in the build, whichever of its formats asks. */
function workerUrl(): URL {
  // In `node -e` a module has the first as well, as '[eval]'.
  const isModule = typeof __filename === 'undefined' || __filename.startsWith('[');
  const here = isModule ? import.meta.url : pathToFileURL(__filename).href;
  return new URL(here.endsWith('.ts') ? './fuzz/worker.ts' : './fuzz/worker.js', here);
}

/** Throws an `AssertionError` with the text of the report when a fault was found. */
export function assertHealthy(report: FuzzReport): void {
  if (report.ok) return;
  throw new AssertionError({ message: report.text, stackStartFn: assertHealthy });
}
