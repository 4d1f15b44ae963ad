import { expect, test } from 'vitest';
import * as z from 'zod';
import {
  type AgentEvent,
  createAgent,
  memoryStore,
  type ThreadStore,
  tool,
} from '../../src/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';

/** In front of a store: what it says of each commit is given on. */
function inFront(
  store: ThreadStore,
  give: (changes: Parameters<ThreadStore['commit']>[3]) => Parameters<ThreadStore['commit']>[3],
): ThreadStore {
  return new Proxy(store, {
    get(target, name) {
      if (name === 'commit')
        return (...[id, token, version, changes]: Parameters<ThreadStore['commit']>) =>
          target.commit(id, token, version, give(changes));
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

async function eventsOf(store: ThreadStore): Promise<readonly AgentEvent[]> {
  const agent = createAgent({
    name: 'support',
    model: scriptedModel(['Hello.']),
    store,
  });
  await agent.run({ threadId: 't', message: 'Hi' });
  return store.readEvents('t');
}

test('a store in front of one in memory may copy what it commits, read its events and leave some out', async () => {
  const plain = await eventsOf(memoryStore());
  const copied = await eventsOf(inFront(memoryStore(), (changes) => ({ ...changes })));
  const seen: string[] = [];
  const chosen = await eventsOf(
    inFront(memoryStore(), (changes) => {
      seen.push(...changes.events.map(({ type }) => type));
      return { ...changes, events: changes.events.filter(({ type }) => type !== 'message.user') };
    }),
  );
  const types = plain.map(({ type }) => type);
  expect(types).toContain('llm.responded');
  expect(copied.map(({ type }) => type)).toEqual(types);
  expect(seen).toEqual(types);
  expect(chosen.map(({ type }) => type)).toEqual(types.filter((type) => type !== 'message.user'));
});

/** As a proxy that looks into everything it gives out, such as one that records who reads what. */
function seenThrough<Part extends object>(part: Part): Part {
  return new Proxy(part, {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver);
      const isOpen = typeof value === 'object' && value !== null && !Object.isFrozen(target);
      return isOpen ? seenThrough(value) : value;
    },
  });
}

type Changes = Parameters<ThreadStore['commit']>[3];

test.each<readonly [kind: string, copy: (changes: Changes) => Changes]>([
  ['a deep copy', structuredClone],
  ['a copy by way of JSON', (changes) => JSON.parse(JSON.stringify(changes)) as Changes],
  ['a proxy', (changes) => new Proxy(changes, {})],
  ['a proxy of all that is in it', seenThrough],
])('%s of what is committed to a store in memory holds its events', async (_kind, copy) => {
  const types = (await eventsOf(memoryStore())).map(({ type }) => type);
  const mirrored: string[] = [];
  const given = await eventsOf(
    inFront(memoryStore(), (changes) => {
      const made = copy(changes);
      mirrored.push(...made.events.map(({ type }) => type));
      return made;
    }),
  );
  expect(given.map(({ type }) => type)).toEqual(types);
  expect(mirrored).toEqual(types);
});

test('a store whose own commit was replaced may copy what it commits, too', async () => {
  const types = (await eventsOf(memoryStore())).map(({ type }) => type);
  const store = memoryStore();
  const { commit } = store;
  store.commit = (...[id, token, version, changes]: Parameters<ThreadStore['commit']>) =>
    commit.call(store, id, token, version, { ...changes });
  expect((await eventsOf(store)).map(({ type }) => type)).toEqual(types);
});

test('a commit that is replaced while a run is under way may copy what it commits, and so may its end', async () => {
  const store = memoryStore();
  const { commit } = store;
  const copied: string[] = [];
  const replace = () => {
    store.commit = (...[id, token, version, changes]: Parameters<ThreadStore['commit']>) => {
      const copy = { ...changes };
      copied.push(...copy.events.map(({ type }) => type));
      return commit.call(store, id, token, version, copy);
    };
  };
  const entries = ['replace', 'give back', 'look'] as const;
  const turn = tool({
    name: 'turn',
    inputSchema: z.object({ what: z.enum(entries) }),
    sideEffects: 'none',
    execute: ({ what }) => {
      if (what === 'replace') replace();
      else if (what === 'give back') Reflect.deleteProperty(store, 'commit');
      return { what };
    },
  });
  const script = entries.map((what) => ({ toolCalls: [{ name: 'turn', input: { what } }] }));
  const model = scriptedModel([...script, 'Hello.']);
  const agent = createAgent({ name: 'support', model, tools: [turn], store });
  const heard: AgentEvent[] = [];
  agent.on('*', (event) => {
    heard.push(event);
  });
  const result = await agent.run({ threadId: 't', message: 'Hi' });
  expect(result).toMatchObject({ status: 'completed', text: 'Hello.' });
  expect(await store.readEvents('t')).toStrictEqual(heard);
  expect(copied.length).toBeGreaterThan(0);
  expect(copied.length).toBeLessThan(heard.length);
});

test('events that are heard and events that are packed are the same', async () => {
  const store = memoryStore();
  const agent = createAgent({ name: 'support', model: scriptedModel(['Hello.']), store });
  const heard: AgentEvent[] = [];
  agent.on('*', (event) => {
    heard.push(event);
  });
  await agent.run({ threadId: 't', message: 'Hi' });
  const stored = await store.readEvents('t');
  expect(stored).toStrictEqual(heard);
  expect(stored.every(Object.isFrozen)).toBe(true);
});

test('somebody who begins to listen in the middle of a run hears what is stored from then on', async () => {
  const store = memoryStore();
  const heard: AgentEvent[] = [];
  const agent = createAgent({
    name: 'support',
    model: scriptedModel(['Hello.']),
    store,
    hooks: [
      {
        name: 'opens',
        onLlmResponse: () => {
          agent.on('*', (event) => {
            heard.push(event);
          });
        },
      },
    ],
  });
  await agent.run({ threadId: 't', message: 'Hi' });
  const stored = await store.readEvents('t');
  expect(heard.length).toBeGreaterThan(0);
  expect(heard).toStrictEqual(stored.slice(-heard.length));
});
