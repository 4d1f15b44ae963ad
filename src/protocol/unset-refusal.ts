/** A value that a call needs and nobody has given yet. */
export interface UnsetValue {
  /** As the author wrote it: a field of the state, or a fact of the run. */
  readonly name: string;
  /** What the state says the field is. */
  readonly description?: string;
  /** How to get it, in the words of the author. Default: from the user. */
  readonly hint?: string;
  /** True for a fact of the run, which no user can be asked for. */
  readonly isFact?: true;
}

/** What the model reads of a call that was refused for values that are not there: which, and how to get them. */
export function unsetRefusal(unset: readonly UnsetValue[]): string {
  const names = unset.map(({ name, description }) =>
    description === undefined || description.trim() === ''
      ? name
      : `${name} (${description.trim()})`,
  );
  return `Not known yet: ${names.join(', ')}. ${fixOf(unset)}`;
}

/** What helps against one that is missing is of no use while another cannot be had. */
function fixOf(unset: readonly UnsetValue[]): string {
  const lost = unset.filter(({ isFact, hint }) => isFact === true && hint === undefined);
  if (lost.length > 0) {
    const them = lost.length === unset.length ? 'it' : lost.map(({ name }) => name).join(', ');
    return `This conversation does not have ${them}, so the tool cannot be used in it.`;
  }
  const hints = new Set(
    unset.flatMap(({ hint }) => (hint === undefined ? [] : [asSentence(hint)])),
  );
  if (hints.size === 0) return 'Get it from the user first, then call the tool again.';
  const asked = unset.filter(({ hint }) => hint === undefined).map(({ name }) => name);
  const ask = asked.length === 0 ? '' : ` Get ${asked.join(', ')} from the user.`;
  return `${[...hints].join(' ')}${ask} Then call the tool again.`;
}

function asSentence(hint: string): string {
  return /[.!?…]$/.test(hint) ? hint : `${hint}.`;
}
