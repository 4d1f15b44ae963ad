import type { JsonObject } from '../protocol/json.ts';

/** Why an input is not taken. Says every field by its name, and quotes no value. */
export interface InputProblem {
  readonly problem: string;
  /** True where the arguments are not those of the tool, whatever their values: the model reads it as a refusal. */
  readonly refused?: true;
  /** The required arguments that are absent or blank. */
  readonly missing?: readonly string[];
}

/** An input that was looked at: wire JSON that the tool takes, or why not. */
export type CheckedInput = { readonly input: JsonObject } | InputProblem;
