import { checkKeys } from '../errors/check-keys.ts';

/** What every ready-made tool may be called by. The model reads both. */
export interface NamedOptions {
  readonly name?: string;
  readonly description?: string;
}

/** Throws `ConfigError` for an option nobody knows. What is in the others is checked where the tool is declared. */
export function checkNamed(
  where: string,
  options: NamedOptions,
  more: readonly string[] = [],
): void {
  checkKeys(where, options, ['name', 'description', ...more]);
}
