/** How deep JSON may nest: within what every store, provider and walk over it can take. */
export const MAX_JSON_DEPTH = 200;

/**
 * How many values one JSON tree may hold. A small object that is shared at every level unfolds into an endless
 * tree, and a getter may make a new object each time it is read.
 */
export const MAX_JSON_VALUES = 250_000;
