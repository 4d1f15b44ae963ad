/** True for what looks like a ChatModel; what it does is known only when it is called. */
export function isModel(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof Reflect.get(value, 'id') === 'string' &&
    typeof Reflect.get(value, 'generate') === 'function' &&
    typeof Reflect.get(value, 'stream') === 'function'
  );
}
