/** From how many items on it is faster to leave compiled code, and have them copied as blocks. */
const MANY = 64;

/** Lists one after the other, as one of its very length: one that grows by `push` takes room for seventeen. */
export function joinLists<Item>(lists: readonly (readonly Item[])[]): readonly Item[] {
  const [only] = lists;
  if (lists.length === 1 && only !== undefined) return only;
  let length = 0;
  for (const list of lists) length += list.length;
  if (length > MANY) return (only ?? []).concat(...lists.slice(1));
  const joined = new Array<Item>(length);
  let end = 0;
  for (const list of lists) for (const item of list) joined[end++] = item;
  return joined;
}

/** A list and one more. `concat` leaves compiled code for what is no list, which takes ten times as long. */
export function withLast<Item>(list: readonly Item[], last: Item): readonly Item[] {
  if (list.length === 0) return [last];
  const longer = new Array<Item>(list.length + 1);
  for (let index = 0; index < list.length; index += 1) longer[index] = list[index] as Item; // below the length
  longer[list.length] = last;
  return longer;
}
