import { randomUUID } from 'node:crypto';
import { onService } from '../services/on-service.ts';
import { testCrashes } from './test-crashes.ts';

await onService('redis', (url) => {
  testCrashes(() => ({ kind: 'redis', at: url, name: `crash-${randomUUID()}` }));
});
