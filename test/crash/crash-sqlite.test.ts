import { describe } from 'vitest';
import { tempFiles } from '../stores/temp-files.ts';
import { testCrashes } from './test-crashes.ts';

const newPath = tempFiles();

describe('a process on SQLite', () => {
  testCrashes(() => ({ kind: 'sqlite', at: newPath(), name: '' }));
});
