import { styleText } from 'node:util';
import type { AgentEvent } from 'agent-hooks';
import type { Recording } from './recording.ts';

type Style = 'green' | 'red' | 'yellow' | 'magenta' | 'bold' | 'dim';

const STYLES: ReadonlyMap<string, Style> = new Map([
  ['allow', 'green'],
  ['block', 'red'],
  ['requires-confirmation', 'yellow'],
  ['retry-with-feedback', 'magenta'],
]);

export function headline({ id, reward }: Recording): string {
  return `\n${paint('bold', id)} ${paint('dim', `(reward ${reward})`)}`;
}

/** What to show of an event: a decision as it falls, and what came of it. */
export function narrate(
  event: AgentEvent,
  options: { readonly dimmed: boolean },
): string | undefined {
  const line = lineOf(event);
  return line === undefined ? undefined : paint(options.dimmed ? 'dim' : line.style, line.text);
}

/** Where a replay stops telling what would have happened. */
export function divergence(): string {
  return paint('dim', '  -- the record goes on as if nothing had happened: counted apart --');
}

interface Line {
  readonly style: Style;
  readonly text: string;
}

function lineOf(event: AgentEvent): Line | undefined {
  switch (event.type) {
    case 'hook.decided': {
      const { policy, decision, reason, turnId, step } = event;
      const text = `  turn ${turnId}, step ${step}: ${decision} by ${policy}`;
      return { style: STYLES.get(decision) ?? 'bold', text: reason ? `${text}: ${reason}` : text };
    }
    case 'tool.refused':
      return { style: 'bold', text: `    => ${event.toolName} is ${event.outcome}` };
    case 'llm.rejected':
      return { style: 'bold', text: '    => the response is sent back, nothing of it runs' };
    default:
      return undefined;
  }
}

/** Colours are for people: not for a pipe, and not for who sets NO_COLOR. */
export function paint(style: Style, text: string): string {
  const wanted = process.stdout.isTTY && !process.env['NO_COLOR'];
  return wanted ? styleText(style, text, { validateStream: false }) : text;
}
