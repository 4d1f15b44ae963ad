/** A copy that refuses every change. What is no plain data, such as an error, stays what it is. */
export function deepFrozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  // The same members, each of its own type.
  if (Array.isArray(value)) return Object.freeze(value.map(deepFrozen)) as Value;
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  const copy = Object.entries(value).map(([key, member]) => [key, deepFrozen(member)] as const);
  return Object.freeze(Object.fromEntries(copy)) as Value;
}
