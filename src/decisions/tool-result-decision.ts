import type { JsonValue } from '../protocol/json.ts';
import type { FilePart } from '../protocol/message.ts';
import { type Keep, keep } from './shared-moves.ts';

/** What a policy may change of a result; a field left out stays. A whole `ToolResult` fits too. */
export interface RewrittenResult {
  readonly output?: JsonValue;
  readonly isError?: boolean;
  /** In the place of all of them; `[]` takes them away. What is made an error has none. */
  readonly files?: readonly FilePart[];
}

export interface ModifyResult {
  readonly type: 'modify';
  readonly result: RewrittenResult;
}

/** What a policy may say to the result of a call that ran. It cannot undo the call. */
export type ToolResultDecision = Keep | ModifyResult;

export const ToolResultDecision: {
  readonly keep: () => Keep;
  /** The new result is what is stored, shown and read by the model; the old one is nowhere. */
  readonly modify: (result: RewrittenResult) => ModifyResult;
} = Object.freeze({
  keep,
  modify: (result: RewrittenResult): ModifyResult =>
    Object.freeze({
      type: 'modify',
      result: Object.freeze({
        ...(result.output !== undefined && { output: result.output }),
        ...(result.isError !== undefined && { isError: result.isError }),
        ...(result.files !== undefined && { files: result.files }),
      }),
    }),
});
