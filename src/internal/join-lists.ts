/** Lists one after the other, as one of its very length: one that grows by `push` takes room for seventeen. */
export function joinLists<Item>(lists: readonly (readonly Item[])[]): readonly Item[] {
  const [only] = lists;
  if (lists.length === 1 && only !== undefined) return only;
  let length = 0;
  for (const list of lists) length += list.length;
  const joined = new Array<Item>(length);
  let end = 0;
  for (const list of lists) for (const item of list) joined[end++] = item;
  return joined;
}
