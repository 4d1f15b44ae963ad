/**
 * Freezes a plain JSON tree and returns it. A subtree that is already frozen is taken as done: every
 * protocol object is frozen where it is made, so a list of old messages costs one check per message.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  if (Array.isArray(value))
    for (let index = 0; index < value.length; index += 1) deepFreeze(value[index]);
  else for (const key in value) deepFreeze(value[key]);
  return value;
}
