/**
 * A function that gives what `build` makes: made with the first call, and the same one with every later call. For
 * schemas at the top of a module. Built there, all of them would be paid for by every process that imports the
 * package, and most are of things that few of these ever do. Where it was built before, a call costs one comparison.
 */
export function builtWhenUsed<Built extends object>(build: () => Built): () => Built {
  let built: Built | undefined;
  return () => {
    built ??= build();
    return built;
  };
}
