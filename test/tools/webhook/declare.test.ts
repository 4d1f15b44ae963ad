import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { createAgent, scriptedModel } from '../../../src/index.ts';
import { Accepted } from '../../../src/tools/done.ts';
import { WebhookAuth } from '../../../src/tools/webhook/auth.ts';
import type { WebhookOptions } from '../../../src/tools/webhook/options.ts';
import { buildWebhookTool } from '../../../src/tools/webhook/webhook-tool.ts';
import { wireOf } from './service.ts';

const URL_OK = 'https://crm.example.com/notes';
const declare = (options: Record<string, unknown>) => () =>
  buildWebhookTool(
    { name: 'note', inputSchema: z.object({ id: z.string() }), url: URL_OK, ...options },
    wireOf(),
  );

describe('declaring a webhook', () => {
  test.each<[row: string, options: Record<string, unknown>, words: RegExp]>([
    ['U-O1: http', { url: 'http://x/' }, /not encrypted/],
    ['U-O1: ftp', { url: 'ftp://x/', allowPrivateNetwork: true }, /https/],
    ['U-O1: no scheme', { url: '//x/y' }, /https/],
    ['U-O2: no host', { url: 'https:///path' }, /no host/],
    ['U-O2: no host but a query', { url: 'https://?x=1' }, /no host/],
    ['U-O3: a user', { url: 'https://u:p@h/' }, /a user/],
    ['U-O3: an empty user', { url: 'https://@h/' }, /a user/],
    ['U-O4: a fragment', { url: 'https://h/#a' }, /fragment/],
    ['U-O4: an empty fragment', { url: 'https://h/#' }, /fragment/],
    ['U-O5: port 0', { url: 'https://h:0/' }, /port/],
    ['U-O5: port 65536', { url: 'https://h:65536/' }, /cannot be read/],
    ['blanks', { url: 'https://h/\tx' }, /blanks/],
    ['backslashes', { url: 'https://h\\@evil/' }, /backslash/],
    ['U-O6: a host', { url: 'https://{{host}}/x' }, /scheme, its host/],
    ['U-O6: part of a host', { url: 'https://a.{{host}}.b/x' }, /scheme, its host/],
    ['U-O6: a scheme', { url: '{{scheme}}://h/x' }, /scheme, its host/],
    ['U-O6: a port', { url: 'https://h:{{port}}/x' }, /scheme, its host/],
    ['U-O6: no slash before it', { url: 'https://h{{path}}' }, /scheme, its host/],
    ['U-O6: a name of the query', { url: 'https://h/?{{name}}=1' }, /name of its query/],
    ['U-O6: no placeholder at all', { url: 'https://h/{{ }}' }, /names nothing/],
    ['U-O6: a stray brace', { url: 'https://h/{x}' }, /brace/],
    ['U-O6: an argument that is not there', { url: 'https://h/{{input.nr}}' }, /no argument/],
    ['U-O10: a method that is none', { method: 'P T' }, /method/],
    ['U-O10: a method that no server knows', { method: 'FETCH' }, /none that HTTP servers know/],
    ['U-O10: a method that is empty', { method: '' }, /method/],
    ['U-O10: a method without an answer', { method: 'head' }, /no answer/],
    ['U-O12: no time', { timeout: 0 }, /1 to 60/],
    ['U-O12: too much time', { timeout: 61 }, /1 to 60/],
    ['U-O13: another body', { body: 'xml' }, /envelope/],
    ['U-O14: a misspelled option', { timeOut: 5 }, /timeout/],
    ['U-O14: what a webhook does itself', { execute: () => 1 }, /execute/],
    ['U-O16: a blank name', { toolName: ' ' }, /toolName/],
    ['U-O17: no output', { waitForResponse: false }, /Accepted/],
    ['U-O17: another output', { waitForResponse: false, outputSchema: z.object({}) }, /Accepted/],
    ['U-O18: a shared name', { method: 'GET', url: 'https://h/x?id=1' }, /'id'/],
    [
      'U-O19: two credentials',
      { auth: WebhookAuth.bearer('T'), headers: { aUtHoRiZaTiOn: 'x' } },
      /auth/,
    ],
    ['U-O19: two keys', { auth: WebhookAuth.apiKey('T'), headers: { 'x-api-key': 'x' } }, /auth/],
    ['U-O20: nothing to sign', { method: 'GET', hmacSecret: 's' }, /nothing to sign/],
    ['U-O20: no place for an envelope', { method: 'GET', body: 'envelope' }, /envelope/],
    ['U-O21: a line end', { headers: { 'X-A': 'a\r\nb' } }, /header/],
    ['U-O21: a line end in a name', { headers: { 'X\n': 'a' } }, /header/],
    ['U-O21: not plain', { headers: { 'X-A': 'é' } }, /header/],
    ['a host header', { headers: { Host: 'evil' } }, /engine/],
    ['B79: an idempotency key', { headers: { 'Idempotency-Key': 'x' } }, /engine/],
    ['the same header twice', { headers: { 'X-A': '1', 'x-a': '2' } }, /twice/],
    ['auth that is none', { auth: { type: 'bearer' } }, /WebhookAuth/],
    ['no address', { url: undefined }, /url/],
    ['U-B15: no input schema', { inputSchema: undefined }, /`inputSchema` is missing/],
    ['U-B15: an input schema that is none', { inputSchema: {} }, /`inputSchema` is not a schema/],
    ['U-D2: a description that is no text', { description: 5 }, /`description` is not a string/],
  ])('%s is refused', (_row, options, words) => {
    expect(declare(options)).toThrow(words);
    expect(declare(options)).toThrow(expect.objectContaining({ name: 'ConfigError' }));
  });

  test.each<[row: string, options: Record<string, unknown>]>([
    ['U-O1: https', {}],
    ['U-B15: no output schema', { outputSchema: undefined }],
    ['U-O1: http in a private network', { url: 'http://x/', allowPrivateNetwork: true }],
    ['U-O5: the last port', { url: 'https://h:65535/' }],
    ['U-O6: path and value', { url: 'https://h/{{a}}/{{b.c}}?d={{session.id}}&e=x{{f}}' }],
    ['U-O6: an argument', { url: 'https://h/{{input.id}}' }],
    ['U-O10: another method', { method: 'patch' }],
    ['U-O10: a rarer method', { method: 'purge' }],
    ['U-O11: headers', { headers: { 'X-App': '1' } }],
    ['U-O12: the ends of the range', { timeout: 60 }],
    ['U-O17: accepted', { waitForResponse: false, outputSchema: Accepted }],
    ['U-O18: other names', { method: 'GET', url: 'https://h/x?src=1' }],
    ['U-O19: another header', { auth: WebhookAuth.bearer('T'), headers: { 'X-Auth': 'x' } }],
    ['U-O20: a body to sign', { hmacSecret: 's' }],
  ])('%s is taken', (_row, options) => {
    expect(declare(options)().name).toBe('note');
  });

  test.each<[what: string, schema: z.ZodType]>([
    ['an object', z.object({ a: z.string() })],
    ['a list of objects', z.array(z.object({ a: z.string() }))],
    ['a list of lists', z.array(z.array(z.string()))],
    ['one of several', z.union([z.string(), z.object({ a: z.string() })])],
    ['a record', z.record(z.string(), z.string())],
  ])('U-P4: %s in a query is refused when it is declared', (_what, schema) => {
    const inputSchema = z.object({ filter: schema });
    expect(declare({ method: 'GET', inputSchema })).toThrow(/'filter' is an object/);
    expect(declare({ inputSchema })().name).toBe('note');
  });

  test('U-O15: all options have one exported type', () => {
    const options: WebhookOptions = { timeout: 5, waitForResponse: false };
    expect(declare({ ...options, outputSchema: Accepted })().name).toBe('note');
  });

  test.each<[row: string, make: () => unknown]>([
    [
      'U-Q3: a bearer with a header',
      () => Reflect.apply(WebhookAuth.bearer, undefined, ['T', { header: 'X' }]),
    ],
    [
      'U-Q3: a bearer with a header beside its token',
      () => Reflect.apply(WebhookAuth.bearer, undefined, [{ token: () => 't', header: 'X' }]),
    ],
    ['U-Q5: a name in small letters', () => WebhookAuth.bearer('crm_token')],
    ['U-Q5: a token in the place of its name', () => WebhookAuth.apiKey('sk-12345')],
    ['U-Q8: neither', () => Reflect.apply(WebhookAuth.bearer, undefined, [{}])],
    [
      'U-Q8: both',
      () => Reflect.apply(WebhookAuth.bearer, undefined, [{ variable: 'T', token: () => 't' }]),
    ],
    ['a header with a line end', () => WebhookAuth.apiKey('T', { header: 'X\r\nY' })],
  ])('%s is refused', (_row, make) => {
    expect(make).toThrow(expect.objectContaining({ name: 'ConfigError', code: 'invalid-tool' }));
    expect(make).not.toThrow(/sk-12345/);
  });
});

describe('the address of a webhook in an agent', () => {
  const build = (url: string, stateSchema?: z.ZodObject) => () =>
    createAgent({
      name: 'desk',
      model: scriptedModel([]),
      tools: [declare({ url })()],
      ...(stateSchema !== undefined && { stateSchema }),
    } as never); // The types know what a tool reads; an app without types does not.
  const stateSchema = z.object({ customer: z.object({ id: z.string() }).optional() });

  test.each<[why: string, url: string, ...rest: [schema: z.ZodObject | undefined, words: RegExp]]>([
    ['has no state', 'https://h.example/{{customer.id}}', undefined, /it names 'customer.id'/],
    ['a field', 'https://h.example/{{custmer.id}}', stateSchema, /Did you mean 'customer'/],
    ['a key', 'https://h.example/?c={{customer.nr}}', stateSchema, /it names 'customer.nr'/],
    ['a root', 'https://h.example/{{inputs.id}}', stateSchema, /Did you mean 'input'/],
  ])(
    'U-O6: names what is not there when the agent is built: %s',
    (_why, url, ...[schema, words]) => {
      expect(build(url, schema)).toThrow(words);
      expect(build(url, schema)).toThrow("tool 'note': url");
    },
  );

  test('U-O6: what is there builds: a field, a key, an argument, a fact of the run', () => {
    const url =
      'https://h.example/{{customer.id}}/{{input.id}}/{{session.a}}/{{call.b}}?c={{sender}}';
    expect(build(url, stateSchema)).not.toThrow();
  });
});
