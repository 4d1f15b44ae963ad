import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { type Release, Slots, takeFree, waitFor } from '../../src/internal/slots.ts';

const never = () => new AbortController().signal;

test('slots go to whoever has waited longest, and once each', async () => {
  const slots = new Slots(2);
  const order: number[] = [];
  const releases = await Promise.all([slots.take(never()), slots.take(never())]);
  expect(slots.takeFree()).toBeUndefined();
  const later = [1, 2, 3].map((n) =>
    slots.take(never()).then((release) => {
      order.push(n);
      return release;
    }),
  );
  releases[0]?.();
  releases[0]?.();
  releases[0]?.();
  await later[0];
  await Promise.resolve();
  expect(order).toEqual([1]);
  (await later[0])?.();
  await later[1];
  releases[1]?.();
  const rest = await Promise.all(later.slice(1));
  expect(order).toEqual([1, 2, 3]);
  expect(slots.takeFree()).toBeUndefined();
  for (const release of rest) release();
  expect([slots.takeFree(), slots.takeFree(), slots.takeFree()].map(Boolean)).toEqual([
    true,
    true,
    false,
  ]);
});

test('B87: who is gone leaves nothing behind a holder that never ends', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const slots = new Slots(1);
  const held = await slots.take(never());
  const wait = async (): Promise<WeakRef<object>> => {
    const controller = new AbortController();
    const reason = new Error('gone');
    const taken = slots.take(controller.signal).catch((error: unknown) => error === reason);
    controller.abort(reason);
    expect(await taken).toBe(true);
    return new WeakRef(reason);
  };
  const gone = await Promise.all(Array.from({ length: 20 }, wait));
  await new Promise((resolve) => setTimeout(resolve, 10));
  collect();
  expect(gone.filter((one) => one.deref() !== undefined).length).toBeLessThan(5);
  let next: Release | undefined;
  const leave = slots.wait((release) => {
    next = release;
  });
  leave();
  held();
  expect(next).toBeUndefined();
  expect(slots.takeFree()).toBeDefined();
});

/** Who waits for slots of some limits, in the order in which they came, and what they were given. */
function queue() {
  const order: string[] = [];
  const held = new Map<string, Release>();
  const come = (name: string, ...limits: readonly Slots[]) => {
    const given = (release: Release) => {
      order.push(name);
      held.set(name, release);
    };
    const free = takeFree(limits);
    if (free === undefined) return waitFor(limits, given);
    given(free);
    return () => undefined;
  };
  const end = (name: string) => {
    const release = held.get(name);
    expect(release).toBeDefined();
    held.delete(name);
    release?.();
  };
  return { order, come, end };
}

test('whoever needs two slots takes both or none', () => {
  const [agent, tool] = [new Slots(1), new Slots(1)];
  const { order, come, end } = queue();
  come('agent', agent);
  come('both', agent, tool);
  come('tool', tool);
  expect(order).toEqual(['agent', 'tool']);
  end('tool');
  end('agent');
  expect(order).toEqual(['agent', 'tool', 'both']);
  come('agent 2', agent);
  come('tool 2', tool);
  expect(order).toHaveLength(3);
  end('both');
  expect(order.slice(3)).toEqual(['agent 2', 'tool 2']);
});

test('of two slots that come back at once the one who waits longest for both is given both', () => {
  const [agent, tool] = [new Slots(1), new Slots(1)];
  const { order, come, end } = queue();
  come('1', agent, tool);
  come('2', agent, tool);
  come('agent', agent);
  come('tool', tool);
  end('1');
  expect(order).toEqual(['1', '2']);
  end('2');
  expect(order).toEqual(['1', '2', 'agent', 'tool']);
});

test('others do not pass for ever one that needs two slots which are never free at once', () => {
  const [agent, tool] = [new Slots(1), new Slots(1)];
  const { order, come, end } = queue();
  come('agent 0', agent);
  come('tool 0', tool);
  come('both', agent, tool);
  for (let n = 1; n <= 3 && !order.includes('both'); n += 1) {
    come(`agent ${n}`, agent);
    come(`tool ${n}`, tool);
    end(`tool ${n - 1}`);
    // The first time its turn with the tool has come, and the agent was busy: it is given the next one.
    if (order.includes(`tool ${n}`)) end(`agent ${n - 1}`);
  }
  expect(order).toEqual(['agent 0', 'tool 0', 'tool 1', 'both']);
});

test('nor does it pass for ever one that came before it', () => {
  const [agent, tool] = [new Slots(1), new Slots(1)];
  const { order, come, end } = queue();
  come('both 0', agent, tool);
  come('both 1', agent, tool);
  come('agent', agent);
  come('both 2', agent, tool);
  come('tool', tool);
  end('both 0');
  end('both 1');
  expect(order).toEqual(['both 0', 'both 1', 'agent', 'tool']);
  end('agent');
  end('tool');
  expect(order.at(-1)).toBe('both 2');
});

test('one that cannot go holds up only those who need the same', () => {
  const agent = new Slots(2);
  const [busy, idle] = [new Slots(1), new Slots(1)];
  const { order, come, end } = queue();
  come('busy', busy);
  come('agent 1', agent);
  come('agent 2', agent);
  come('wants busy', agent, busy);
  come('wants busy too', agent, busy);
  come('wants idle', agent, idle);
  end('agent 1');
  expect(order.at(-1)).toBe('wants idle');
  end('agent 2');
  end('busy');
  expect(order.at(-1)).toBe('wants busy');
  end('wants idle');
  come('agent 3', agent);
  end('wants busy');
  expect(order.slice(-2)).toEqual(['agent 3', 'wants busy too']);
});

test('of one line only the first keeps what it has', () => {
  const [agent, tool] = [new Slots(3), new Slots(1)];
  const { order, come, end } = queue();
  for (let n = 1; n <= 3; n += 1) come(`agent ${n}`, agent);
  const leave = come('both 1', agent, tool);
  come('both 2', agent, tool);
  come('tool', tool);
  for (let n = 1; n <= 3; n += 1) end(`agent ${n}`);
  expect(order.at(-1)).toBe('tool');
  expect(agent.free).toBe(2);
  leave();
  expect(agent.free).toBe(3);
  end('tool');
  expect(order.at(-1)).toBe('both 2');
  end('both 2');
  expect([agent.free, tool.free, agent.lines.size, tool.lines.size]).toEqual([3, 1, 0, 0]);
});
