/** A value its maker may still add to: what is left out costs nothing that way, where a spread of nothing does. */
export type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };
