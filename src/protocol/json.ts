/** Any value that JSON can hold. Everything that crosses a store, a provider or a hook is one of these. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: JsonValue;
}
