import { ConfigError } from '../../errors/config-error.ts';
import type { McpClient } from './client.ts';
import { membersOf } from './read-result.ts';

/**
 * The text of a prompt of an MCP server, for `instructions` or for the message of a run. Its messages stand one after
 * another, a blank line between them. It is the server's text: what goes into `instructions` the model obeys. Throws
 * `ConfigError` for a prompt that holds more than text, and what the client throws.
 */
export async function mcpPrompt(
  client: McpClient,
  name: string,
  values: Readonly<Record<string, string>> = {},
): Promise<string> {
  if (client.getPrompt === undefined)
    throw faulty(
      name,
      'the client cannot read prompts',
      'Pass a connected `Client` of the official SDK',
    );
  const { messages } = membersOf(await client.getPrompt({ name, arguments: { ...values } }));
  const contents = Array.isArray(messages) ? messages.map((one) => membersOf(one)['content']) : [];
  const texts = contents.map((content) => {
    const { type, text } = membersOf(content);
    if (type === 'text' && typeof text === 'string') return text;
    throw faulty(
      name,
      'it holds something that is no text',
      'Read it with `client.getPrompt` and pass its parts on by hand',
    );
  });
  return texts.join('\n\n');
}

function faulty(name: string, what: string, fix: string): ConfigError {
  return new ConfigError('invalid-option', {
    where: `mcpPrompt('${name.slice(0, 80)}')`,
    what,
    fix,
  });
}
