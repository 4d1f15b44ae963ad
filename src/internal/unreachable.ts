/** Ends a `switch` that covers every case: a missing one does not compile, and throws if it comes at run time. */
export function unreachable(value: never, where: string): never {
  throw new TypeError(`${where}: unexpected value ${JSON.stringify(value)}`);
}
