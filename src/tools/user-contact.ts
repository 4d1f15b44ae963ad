import * as z from 'zod';
import type { JsonValue } from '../protocol/json.ts';
import { checkNamed, type NamedOptions } from './check-named.ts';
import type { ToolContext } from './port.ts';
import { type Tool, tool } from './tool.ts';

const DESCRIPTION =
  'Tells the phone number the user is reached at. Use it instead of asking for the number.';

const contact = z
  .object({
    available: z.boolean(),
    phone_number: z.string().nullable(),
    call_type: z.enum(['inbound', 'outbound']).nullable(),
    reason: z.string().nullable(),
  })
  .meta({ title: 'Contact' });

/**
 * A tool without arguments that tells a model the phone number of whoever it talks to. It goes by what the app passed
 * to the run: the number is `sender.phone`, or `sender` itself where that is a text that reads as one, and
 * `session.startedBy` (`user` or `agent`) says who began. Whoever is not known is not made up. Harmless: runs without
 * asking.
 */
export function userContactTool(options: NamedOptions = {}): Tool<Record<string, never>> {
  checkNamed('userContactTool()', options);
  const { name = 'user_phone_number', description = DESCRIPTION } = options;
  return tool({
    name,
    description,
    inputSchema: z.object({}),
    outputSchema: contact,
    sideEffects: 'none',
    execute: (_input, { sender, session }: ToolContext) => contactOf(sender, session),
  });
}

function contactOf(sender: JsonValue, session: JsonValue): z.input<typeof contact> {
  const number = phoneOf(sender);
  const call_type = CALL_TYPES.get(member(session, 'startedBy')) ?? null;
  return number === undefined
    ? {
        available: false,
        phone_number: null,
        call_type,
        reason: 'The number of the user is not known',
      }
    : { available: true, phone_number: number, call_type, reason: null };
}

const CALL_TYPES: ReadonlyMap<unknown, 'inbound' | 'outbound'> = new Map([
  ['user', 'inbound'],
  ['agent', 'outbound'],
]);

function phoneOf(sender: JsonValue): string | undefined {
  const phone = typeof sender === 'string' ? sender : member(sender, 'phone');
  return typeof phone === 'string' && phone.length <= 40 && READS_AS_PHONE.test(phone)
    ? phone.trim()
    : undefined;
}

/** Digits, and what people put between them: neither a name nor an address. */
const READS_AS_PHONE = /^[+\s().\-/]*\d[+\d\s().\-/]*$/;

function member(value: JsonValue, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? Reflect.get(value, key)
    : undefined;
}
