import type { JsonValue } from './json.ts';

/** The values of a thread's state by field, as its `stateSchema` types them; `undefined` for a field that is not set. */
export type StateValues = { readonly [field: string]: JsonValue | undefined };

/** The type of the state where nothing names one. Whoever takes any context takes any state. */
export type StateOf<Context> = [Context] extends [never] ? never : StateValues;

/** Values for some fields. */
export type StateInput<State> = { readonly [Field in keyof State]?: State[Field] | undefined };
