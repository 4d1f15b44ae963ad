import type { Source } from './read-sources.ts';

/** Import cycles, type imports included: at least one of every knot, written from its first file by name. */
export function cycleViolations(sources: readonly Source[]): string[] {
  const next = new Map(
    sources.map(({ path, imports }) => [path, imports.flatMap(({ target }) => target ?? [])]),
  );
  const found = new Map<string, string>();
  const done = new Set<string>();
  const trail: string[] = [];
  const visit = (path: string): void => {
    const start = trail.indexOf(path);
    if (start !== -1) report(trail.slice(start), found);
    if (start !== -1 || done.has(path)) return;
    trail.push(path);
    for (const target of next.get(path) ?? []) visit(target);
    trail.pop();
    done.add(path);
  };
  for (const path of next.keys()) visit(path);
  return [...found.values()];
}

function report(cycle: readonly string[], found: Map<string, string>): void {
  const first = cycle.indexOf([...cycle].sort()[0] ?? '');
  const turned = [...cycle.slice(first), ...cycle.slice(0, first)];
  found.set(turned.join(), `import cycle: ${[...turned, turned[0]].join(' -> ')}`);
}
