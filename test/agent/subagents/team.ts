import {
  type AgentHooks,
  type AgentOptions,
  type AgentToolOptions,
  type ApprovalAnswer,
  agentTool,
  createAgent,
  type ModelRequest,
  memoryStore,
  type RunResult,
  type ScriptEntry,
  scriptedModel,
  type ThreadStore,
  ToolDecision,
  tool,
} from 'agent-hooks';
import * as z from 'zod';
import { sqliteStore } from '../../../src/stores/sqlite.ts';

/** Where the threads of a test live. */
export const STORES: readonly (readonly [name: string, open: () => ThreadStore])[] = [
  ['memory', () => memoryStore()],
  ['SQLite', () => sqliteStore({ path: ':memory:' })],
];

export const callPay = (euros: number) => ({ name: 'pay', input: { euros } });
export const callClerk = (task = 'pay it') => ({ name: 'clerk', input: { task } });
const callOffice = (task = 'see to it') => ({ name: 'office', input: { task } });

/** Answers by what it reads, as a model does: the calls first, then the end. */
export const callThen =
  (text: string, ...toolCalls: readonly { readonly name: string; readonly input: object }[]) =>
  (request: ModelRequest) =>
    request.messages.at(-1)?.role === 'tool'
      ? text
      : { toolCalls: toolCalls.map(({ name, input }) => ({ name, input: { ...input } })) };

export const often = (entry: ScriptEntry): readonly ScriptEntry[] =>
  Array.from({ length: 30 }, () => entry);

/** Asks a person before anything is paid. */
export const askFirst = {
  name: 'ask-first',
  preToolUse: ({ toolName }: { readonly toolName: string }) =>
    toolName === 'pay' ? ToolDecision.requiresConfirmation('pay?') : undefined,
};

interface Part {
  readonly script?: readonly ScriptEntry[];
  readonly hooks?: AgentOptions['hooks'];
  readonly more?: Partial<AgentOptions>;
  readonly asTool?: Partial<AgentToolOptions<never>>;
}

/**
 * A desk that asks an office, which asks a clerk, who pays. Everybody can be given a script of their own, policies and
 * options. `log` holds what was really paid.
 */
export function team(parts: {
  readonly desk?: Part;
  readonly office?: Part;
  readonly clerk?: Part;
  readonly store?: ThreadStore;
  readonly log?: string[];
}) {
  const log = parts.log ?? [];
  const pay = tool({
    name: 'pay',
    description: 'Pays',
    inputSchema: z.object({ euros: z.number() }),
    tier: 'auto',
    execute: ({ euros }) => {
      log.push(`pay ${euros}`);
      return { paid: euros };
    },
  });
  const read = tool({
    name: 'read',
    description: 'Reads',
    inputSchema: z.object({}),
    sideEffects: 'none',
    execute: () => {
      log.push('read');
      return 7;
    },
  });
  const make = (name: string, part: Part | undefined, plain: readonly [ScriptEntry, never[]]) =>
    createAgent({
      name,
      model: scriptedModel([...(part?.script ?? often(plain[0]))], { id: `${name}-model` }),
      tools: plain[1],
      ...(part?.hooks !== undefined && { hooks: part.hooks as readonly AgentHooks[] }),
      ...part?.more,
    });
  const told = { description: 'Sees to things' };
  const clerk = make('clerk', parts.clerk, [
    callThen('clerk: paid', callPay(5)),
    [pay, read] as never[],
  ]);
  const asClerk = agentTool(clerk, { ...told, name: 'clerk', ...parts.clerk?.asTool });
  const office = make('office', parts.office, [
    callThen('office: done', callClerk()),
    [asClerk, read] as never[],
  ]);
  const asOffice = agentTool(office, { ...told, name: 'office', ...parts.office?.asTool });
  const store = parts.store ?? memoryStore();
  const deskPart: Part = { ...parts.desk, more: { store, ...parts.desk?.more } };
  const desk = make('desk', deskPart, [
    callThen('desk: done', callOffice()),
    [asOffice, asClerk, pay, read] as never[],
  ]);
  return { desk, office, clerk, store, log };
}

export function approvalsOf(result: RunResult) {
  if (result.status !== 'awaiting-approval') throw new Error(`is ${result.status}`);
  return result.approvals;
}

export function yesTo(result: RunResult): readonly ApprovalAnswer[] {
  return approvalsOf(result).map(({ approvalId }) => ({ approvalId, approved: true, by: 'boss' }));
}

/** What the calls of a turn gave. */
export function outputsOf(result: RunResult): readonly unknown[] {
  return result.messages.flatMap((message) =>
    message.role === 'tool' ? message.content.map(({ output }) => output) : [],
  );
}
