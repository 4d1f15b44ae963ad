import {
  type ChatRequest,
  type ChatResponse,
  MessageDecision,
  RequestDecision,
  ResponseDecision,
  ToolDecision,
  ToolResultDecision,
  TurnDecision,
} from '../../src/index.ts';
import type { Asking } from './asking.ts';

/** The decision a move means at its point; nothing for a policy that has no opinion. */
export function decide(move: string, asking: Asking): unknown {
  switch (asking.point) {
    case 'onTurnStart':
      return turnMove(move);
    case 'onUserMessage':
    case 'onOutgoingMessage':
      return messageMove(move, asking);
    case 'preLlmRequest':
      return requestMove(move, asking);
    case 'onLlmResponse':
      return responseMove(move, asking);
    case 'preToolUse':
      return toolMove(move, asking);
    case 'postToolUse':
      return resultMove(move, asking);
    case 'onEvent':
      return undefined;
  }
}

function turnMove(move: string): TurnDecision | undefined {
  if (move === 'block') return TurnDecision.block('not now');
  return move === 'proceed' ? TurnDecision.proceed() : undefined;
}

function messageMove(move: string, { world, point }: Asking): MessageDecision | undefined {
  switch (move) {
    case 'block':
      return MessageDecision.block('not this');
    case 'modify':
      return MessageDecision.modify(
        `rather ${world.newWord(point === 'onUserMessage' ? 'V' : 'S')}`,
      );
    case 'proceed':
      return MessageDecision.proceed();
    default:
      return undefined;
  }
}

function requestMove(move: string, { world, payload }: Asking): RequestDecision | undefined {
  const request = payload as ChatRequest; // what this point is asked about
  switch (move) {
    case 'block':
      return RequestDecision.block('not this request');
    case 'modify': {
      const text = `mind ${world.newWord('E')}`;
      const note = { role: 'user', content: [{ type: 'text', text }] } as const;
      return RequestDecision.modify({ messages: [...request.messages, note] });
    }
    case 'misfit':
      return RequestDecision.modify({ ...request, tools: [], messages: [] });
    case 'proceed':
      return RequestDecision.proceed();
    default:
      return undefined;
  }
}

function responseMove(move: string, { world, payload }: Asking): ResponseDecision | undefined {
  const { toolCalls } = payload as ChatResponse; // what this point is asked about
  switch (move) {
    case 'block':
      return ResponseDecision.block('not this answer');
    case 'modify':
      return ResponseDecision.modify({ text: `better ${world.newWord('B')}` });
    case 'drop calls':
      return ResponseDecision.modify({ toolCalls: [] });
    case 'add call': {
      const added = { toolName: 'pay', input: { id: world.newWord('J') } };
      return ResponseDecision.modify({ toolCalls: [...toolCalls, added] });
    }
    case 'retry':
      return ResponseDecision.retryWithFeedback(`say it like ${world.newWord('F')}`);
    case 'accept':
      return ResponseDecision.accept();
    default:
      return undefined;
  }
}

function toolMove(move: string, { world }: Asking): ToolDecision | undefined {
  switch (move) {
    case 'allow':
      return ToolDecision.allow();
    case 'abstain':
      return ToolDecision.abstain();
    case 'modify':
      return ToolDecision.modify({ id: world.newWord('J') });
    case 'misfit':
      return ToolDecision.modify({ id: 7 });
    case 'block':
      return ToolDecision.block('not this call');
    case 'retry':
      return ToolDecision.retryWithFeedback(`call it like ${world.newWord('F')}`);
    case 'confirm':
      return ToolDecision.requiresConfirmation('sure?');
    case 'confirm briefly':
      return ToolDecision.requiresConfirmation('sure, at once?', { expiresInMs: 1 });
    case 'confirm by boss':
      return ToolDecision.requiresConfirmation('sure, boss?', { approvers: ['boss'] });
    default:
      return undefined;
  }
}

function resultMove(move: string, { world }: Asking): ToolResultDecision | undefined {
  if (move === 'modify')
    return ToolResultDecision.modify({ output: `rather ${world.newWord('P')}` });
  return move === 'keep' ? ToolResultDecision.keep() : undefined;
}
