/** `contextOf` has to be there exactly when a policy needs a context. */
import { defineHooks, Policy } from '../../../src/index.ts';
import { type Replay, replay } from '../../../src/testing/index.ts';

const plain = defineHooks({ name: 'plain', onTurnStart: () => undefined });
const tenant = defineHooks<{ readonly tenant: string }>({
  name: 'tenant',
  onTurnStart: (_turn, ctx) => void ctx.context.tenant,
});

class Free extends Policy {}

const conversations: [] = [];

export const fine: readonly Replay[] = [
  replay({ hooks: [plain], conversations }),
  replay({ hooks: [plain, new Free()], conversations, contextOf: () => 7 }),
  replay({ hooks: [tenant], conversations, contextOf: ({ id }) => ({ tenant: id }) }),
  replay({ hooks: [plain], against: [plain], conversations }),
];

export const wrong: readonly Replay[] = [
  // @ts-expect-error a policy reads a context
  replay({ hooks: [tenant], conversations }),
  // @ts-expect-error and not this one
  replay({ hooks: [tenant], conversations, contextOf: () => ({ tenant: 7 }) }),
  // @ts-expect-error no conversations
  replay({ hooks: [plain] }),
];
