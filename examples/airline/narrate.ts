import { styleText } from 'node:util';
import type { AgentEvent } from 'agent-hooks';
import type { Recording } from './recording.ts';

const COLOURS = {
  allow: 'green',
  block: 'red',
  'requires-confirmation': 'yellow',
  'retry-with-feedback': 'magenta',
} as const;

type Style = (typeof COLOURS)[keyof typeof COLOURS] | 'bold' | 'dim';

export function announce({ id, reward }: Recording): void {
  console.log(`\n${paint('bold', id)} ${paint('dim', `(reward ${reward})`)}`);
}

/** Shows each decision as it falls. Those after the divergence are dimmed. */
export function narrate(event: AgentEvent, diverged: boolean): void {
  if (event.type !== 'hook.decided') return;
  const { policy, decision, reason, turnId, step } = event;
  const line = `  turn ${turnId}, step ${step}  ${decision} by ${policy}${reason ? `: ${reason}` : ''}`;
  console.log(
    diverged ? paint('dim', `${line}  (after the divergence)`) : paint(styleOf(decision), line),
  );
}

function styleOf(decision: string): Style {
  return Object.hasOwn(COLOURS, decision) ? COLOURS[decision as keyof typeof COLOURS] : 'bold';
}

/** Colours are for people: not for a pipe, and not for who sets NO_COLOR. */
export function paint(style: Style, text: string): string {
  const wanted = process.stdout.isTTY && !process.env['NO_COLOR'];
  return wanted ? styleText(style, text) : text;
}
