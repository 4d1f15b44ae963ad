import { onService } from '../services/on-service.ts';
import { newSchema } from '../stores/new-schema.ts';
import { testCrashes } from './test-crashes.ts';

await onService('postgres', (url) => {
  testCrashes(() => ({ kind: 'postgres', at: url, name: newSchema() }));
});
