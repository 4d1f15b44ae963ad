import type { ChatRequest } from '../protocol/chat.ts';
import { type Block, block, type Proceed, proceed } from './shared-moves.ts';

/** Sends another request instead, for this one call. What is stored stays as it is. */
export interface ModifyRequest {
  readonly type: 'modify';
  readonly request: Pick<ChatRequest, 'messages'> & Partial<ChatRequest>;
}

/** What a policy may say to a request that is about to be sent to a model. */
export type RequestDecision = Proceed | ModifyRequest | Block;

export const RequestDecision: {
  readonly proceed: () => Proceed;
  /** Messages and the seven settings may differ; a changed tool list is a hook failure. */
  readonly modify: (request: ModifyRequest['request']) => ModifyRequest;
  /** The model is not called. On a turn's first step nothing of the message is stored. */
  readonly block: (reason: string) => Block;
} = Object.freeze({
  proceed,
  modify: (request: ModifyRequest['request']): ModifyRequest =>
    Object.freeze({ type: 'modify', request }),
  block,
});
