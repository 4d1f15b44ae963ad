import assert from 'node:assert/strict';

/** Fails unless the value is frozen as deep as it goes. */
export function assertFrozen(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  assert.ok(Object.isFrozen(value));
  for (const member of Object.values(value)) assertFrozen(member);
}
