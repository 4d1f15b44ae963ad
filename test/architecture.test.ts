import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cycleViolations } from './architecture/cycles.ts';
import { layerViolations } from './architecture/layers.ts';
import { anyViolations } from './architecture/no-any.ts';
import { purityViolations } from './architecture/purity.ts';
import { readSources } from './architecture/read-sources.ts';
import { rootPackageViolations } from './architecture/root-packages.ts';
import {
  fileSizeViolations,
  functionSizeViolations,
  testSizeViolations,
} from './architecture/sizes.ts';
import { nameViolations, trackedFiles, wordViolations } from './architecture/tracked-files.ts';

const root = join(import.meta.dirname, '..');
const sources = readSources(root);
const files = trackedFiles(root);

/** All sources are parsed once, beside whatever else the machine does. No time is judged here. */
const WITHOUT_HASTE = 60_000;

describe('architecture', () => {
  test.each<[fact: string, violations: () => string[]]>([
    ['a folder imports only lower layers', () => layerViolations(sources)],
    ['no import cycle, types included', () => cycleViolations(sources)],
    ['the root entry reaches three packages', () => rootPackageViolations(sources)],
    ['pure files know no clock, chance or I/O', () => purityViolations(sources)],
    ['source files are short', () => fileSizeViolations(sources)],
    ['test files are short', () => testSizeViolations(root)],
    ['functions are short', () => functionSizeViolations(sources)],
    ['no any', () => anyViolations(sources)],
    ['files and folders are named for what they hold', () => nameViolations(files)],
    ['no file names a machine', () => wordViolations(root, files)],
  ])('%s', { timeout: WITHOUT_HASTE }, (_fact, violations) => {
    expect(violations().join('\n')).toBe('');
  });
});
