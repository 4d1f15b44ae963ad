import type {
  ChatModel,
  ModelCallOptions,
  ModelRequest,
  ModelResponse,
} from '../../models/port.ts';
import { type ReplayModel, replayModel } from '../../models/replay.ts';
import type { ChatStreamPart } from '../../protocol/chat.ts';
import type { RecordedCall, RecordedTurn } from './recorded-turns.ts';

/**
 * Answers what the record answers, turn by turn. Where a turn of the record has no further answer it ends the run by
 * a cancel, so that no policy is asked about words that nobody wrote.
 */
export class RecordedModel implements ChatModel {
  readonly id = 'recorded';
  readonly capabilities = { outputSchema: true };
  readonly #onRequest: ((request: ModelRequest) => void) | undefined;
  #replay: ReplayModel | undefined;
  #turn: RecordedTurn | undefined;
  #end: AbortController | undefined;

  constructor(onRequest?: (request: ModelRequest) => void) {
    this.#onRequest = onRequest;
  }

  /** What the run of the turn is given, to be ended by. */
  beginTurn(turn: RecordedTurn): AbortSignal {
    this.#turn = turn;
    this.#replay = replayModel(turn.messages, { id: this.id });
    this.#end = new AbortController();
    return this.#end.signal;
  }

  /** Recorded answers of this turn that were not asked for. */
  get remaining(): number {
    return this.#replay?.remaining ?? 0;
  }

  /** True where what the model was sent is not what it was sent in the record. */
  get wasToldOtherwise(): boolean {
    return this.#replay?.diverged !== undefined;
  }

  /** The calls of the latest answer. */
  get calls(): readonly RecordedCall[] {
    return this.#turn?.answers[(this.#replay?.calls ?? 0) - 1] ?? [];
  }

  /** The call of the latest answer that has this place among its calls. */
  callAt(index: number, toolName: string): RecordedCall | undefined {
    const { calls } = this;
    const there = calls[index];
    if (there?.call.toolName === toolName) return there;
    // A policy that rewrote the response may have moved it.
    return calls.find(({ call }) => call.toolName === toolName);
  }

  /** Ends the run: the record does not go on from here. */
  endOfRecord(): never {
    this.#end?.abort();
    throw new Error('the record ends here');
  }

  generate(request: ModelRequest, options: ModelCallOptions): PromiseLike<ModelResponse> {
    return this.#next(request).generate(request, options);
  }

  stream(request: ModelRequest, options: ModelCallOptions): AsyncIterable<ChatStreamPart> {
    return this.#next(request).stream(request, options);
  }

  #next(request: ModelRequest): ReplayModel {
    const replay = this.#replay;
    if (replay === undefined || replay.remaining === 0) return this.endOfRecord();
    this.#onRequest?.(request);
    return replay;
  }
}
