import { type ConfigCode, ConfigError } from '../errors/config-error.ts';

/** Where a schema stands, for whoever has to correct it. */
export interface SchemaPlace {
  readonly code: ConfigCode;
  readonly where: string;
  /** What it was passed as. */
  readonly member: string;
}

/** The place of a tool's input. */
export function inputPlace(toolName: string): SchemaPlace {
  return { code: 'invalid-tool', where: `tool '${toolName}'`, member: 'inputSchema' };
}

/** The error that sends people to that place. */
export function refuseSchema(
  { code, where }: SchemaPlace,
  text: { readonly what: string; readonly fix: string },
  cause?: unknown,
): ConfigError {
  return new ConfigError(code, { where, ...text }, { cause });
}
