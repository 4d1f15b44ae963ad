import { existsSync, readFileSync } from 'node:fs';
import type { Contender, ContenderName } from './work.ts';

const peers = new URL('peers/', import.meta.url);

/** Whether the others that agent-hooks is compared with are installed. */
export function hasPeers(): boolean {
  return existsSync(new URL('node_modules/', peers));
}

/** Loads one, and nothing that another needs. */
export async function loadContender(name: ContenderName): Promise<Contender> {
  switch (name) {
    case 'bare':
      return (await import('./bare.ts')).contender;
    case 'memory':
      return (await import('./ours.ts')).contender;
    case 'sqlite':
      return (await import('./ours-sqlite.ts')).onDisk();
    case 'ai':
      return (await loadPeer('ai-sdk.ts')).contender;
    case 'pi':
      return (await loadPeer('pi.ts')).contender;
    case 'pi-loop':
      return (await loadPeer('pi.ts')).loop;
  }
}

/** Their types are not there on a clean clone, so the compiler must not follow this import. */
function loadPeer(file: string): Promise<{ contender: Contender; loop: Contender }> {
  return import(new URL(file, peers).href);
}

export interface PeerPackage {
  readonly name: string;
  readonly contender: ContenderName;
  readonly version: string;
  readonly entry: URL;
}

export function peerPackages(): PeerPackage[] {
  if (!hasPeers()) return [];
  return [peerPackage('ai', 'ai'), peerPackage('@earendil-works/pi-agent-core', 'pi')];
}

function peerPackage(name: string, contender: ContenderName): PeerPackage {
  const folder = new URL(`node_modules/${name}/`, peers);
  const { version } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8'));
  return { name, contender, version, entry: new URL('dist/index.js', folder) };
}
