import { describe, inject } from 'vitest';

const PACKAGES = { postgres: 'postgresql', redis: 'redis-server' } as const;

export type ServiceName = keyof typeof PACKAGES;

/**
 * Tests that need a server, which is started for them. Where it is not installed they are skipped with a name that
 * says how to get it, and under CI they fail.
 */
export async function onService(name: ServiceName, tests: (url: string) => void): Promise<void> {
  const url = await ask(name);
  if (url !== '') {
    describe(`on ${name}`, () => tests(url));
    return;
  }
  const how = `apt-get install -y ${PACKAGES[name]}, or run test/services/install.sh`;
  if (process.env['CI'] === 'true') throw new Error(`${name} is not installed: ${how}`);
  describe.skip(`on ${name} [skip: not installed, ${how}]`, () => tests(`${name}://absent`));
}

async function ask(name: ServiceName): Promise<string> {
  const response = await fetch(`${inject('services')}/${name}`);
  const answer = await response.text();
  if (!response.ok) throw new Error(answer);
  return answer;
}
