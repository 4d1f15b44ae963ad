/** A value that a call needs and nobody has given yet. */
export interface UnsetValue {
  /** As the author wrote it: a field of the state, or a fact of the run. */
  readonly name: string;
  /** What the state says the field is. */
  readonly description?: string;
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
  const asks = unset.filter(({ isFact }) => isFact !== true);
  const fix =
    asks.length > 0
      ? 'Get it from the user first, then call the tool again.'
      : 'This conversation does not have it, so the tool cannot be used in it.';
  return `Not known yet: ${names.join(', ')}. ${fix}`;
}
