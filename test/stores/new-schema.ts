import { randomUUID } from 'node:crypto';

/** The name of a schema that no other test uses. The quote and the capital are there because names may have them. */
export function newSchema(): string {
  return `T"${randomUUID()}`;
}
