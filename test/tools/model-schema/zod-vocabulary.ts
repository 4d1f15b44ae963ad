import * as z from 'zod';
import type { JsonValue } from '../../../src/protocol/json.ts';

/** A schema of zod and something that a model may write for it. */
export interface Expressible {
  readonly name: string;
  readonly schema: z.ZodType;
  readonly sample: JsonValue;
}

function row(name: string, schema: z.ZodType, sample: JsonValue): Expressible {
  return { name, schema, sample };
}

const inner = z.object({ day: z.iso.date(), nick: z.string().nullable().default(null) });
const sample = { day: '2026-10-16', nick: 'A' };
const uuid = '9f1c0c5e-5a51-4b54-9d0e-1e1c6a2f3b4c';
const textToDate = z.codec(z.iso.datetime(), z.date(), {
  decode: (text) => new Date(text),
  encode: (date) => date.toISOString(),
});

const texts: readonly Expressible[] = [
  row('string', z.string().min(1).max(5).trim(), 'a'),
  row('length', z.string().length(2), 'ab'),
  row('nonempty', z.string().nonempty(), 'a'),
  row('regex', z.string().regex(/^a.c$/), 'abc'),
  row('parts', z.string().startsWith('a').includes('b').endsWith('c'), 'abc'),
  row('lower and upper', z.union([z.string().lowercase(), z.string().uppercase()]), 'A'),
  row('email', z.email(), 'a@b.de'),
  row('url', z.url(), 'https://a.de/'),
  row('httpUrl', z.httpUrl(), 'https://a.de/'),
  row('hostname', z.hostname(), 'a.de'),
  row('uuid', z.uuid(), uuid),
  row('uuidv4', z.uuidv4(), uuid),
  row('guid', z.guid(), uuid),
  row('uuidv6', z.uuidv6().or(z.uuidv7()), '1ec9414c-232a-6b00-b3c8-9f6bdeced846'),
  row('nanoid', z.nanoid(), 'V1StGXR8_Z5jdHi6B-myT'),
  row('cuid', z.cuid(), 'cjld2cjxh0000qzrmn831i7rn'),
  row('cuid2', z.cuid2(), 'tz4a98xxat96iws9zmbrgj3a'),
  row('ulid', z.ulid(), '01ARZ3NDEKTSV4RRFFQ69G5FAV'),
  row('xid', z.xid(), '9m4e2mr0ui3e8a215n4g'),
  row('ksuid', z.ksuid(), '0ujsszwN8NRY24YaXiTIE2VWDTS'),
  row('ipv4', z.ipv4(), '10.0.0.1'),
  row('ipv6', z.ipv6(), '::1'),
  row('cidrv4', z.cidrv4(), '10.0.0.0/8'),
  row('cidrv6', z.cidrv6(), 'fd00::/8'),
  row('mac', z.mac(), 'AA:BB:CC:DD:EE:FF'),
  row('base64', z.base64(), 'aGk='),
  row('base64url', z.base64url(), 'aGk'),
  row('e164', z.e164(), '+34600112233'),
  row('emoji', z.emoji(), '😀'),
  row('hex', z.hex(), 'ff'),
  row('hash', z.hash('md5'), 'd41d8cd98f00b204e9800998ecf8427e'),
  row('stringFormat', z.stringFormat('spelled', /^[a-z]( [a-z])*$/), 'a b'),
  row(
    'stringFormat of a function',
    z.stringFormat('odd', (text) => text.length % 2 === 1),
    'a',
  ),
  row('iso date', z.iso.date(), '2026-10-16'),
  row('iso time', z.iso.time(), '14:30:00'),
  row('iso datetime', z.iso.datetime({ offset: true }), '2026-10-16T14:30:00+02:00'),
  row('iso datetime local', z.iso.datetime({ local: true }), '2026-10-16T14:30:00'),
  row('iso duration', z.iso.duration(), 'P1D'),
  row('jwt', z.jwt(), 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxIn0.c2ln'),
  row('creditCard', z.creditCard(), '4242424242424242'),
  row('iban', z.iban(), 'DE89370400440532013000'),
  row('stringbool', z.stringbool(), 'yes'),
  row('template', z.templateLiteral(['ORD-', z.int(), z.enum(['a', 'b'])]), 'ORD-5a'),
  row('template with a format', z.templateLiteral([z.email(), '!']), 'a@b.de!'),
];

const values: readonly Expressible[] = [
  row('number', z.number().min(1).max(5), 2),
  row('number limits', z.number().gt(1).lt(5).multipleOf(0.5), 2.5),
  row('two divisors', z.number().multipleOf(2).multipleOf(3), 6),
  row('int', z.int().positive(), 2),
  row('int32', z.int32().or(z.uint32()), 2),
  row('float', z.float32().or(z.float64()), 2.5),
  row('coerced', z.coerce.number(), 2),
  row('boolean', z.boolean(), true),
  row('null', z.null(), null),
  row('any', z.any(), { a: 1 }),
  row('unknown', z.unknown(), [1]),
  row('literal', z.literal('a'), 'a'),
  row('literals', z.literal(['a', 1, true, null]), 1),
  row('enum', z.enum(['a', 'b']), 'a'),
  row('enum of numbers', z.enum({ A: 1, B: 2 }), 1),
  row('enum of both', z.enum({ A: 1, B: 'b' }), 'b'),
  row('keyof', inner.keyof(), 'day'),
  row('exclude', z.enum(['a', 'b', 'c']).exclude(['a']), 'b'),
];

const containers: readonly Expressible[] = [
  row('object', inner, sample),
  row('strict object', z.strictObject({ inner }), { inner: sample }),
  row('loose object', z.looseObject({ inner }), { inner: sample, more: 1 }),
  row('catchall', z.object({ inner }).catchall(inner), { inner: sample, more: sample }),
  row('partial', z.object({ inner }).partial(), {}),
  row('required', z.object({ inner: inner.optional() }).required(), { inner: sample }),
  row('pick and extend', inner.pick({ day: true }).extend({ end: z.iso.date() }), {
    day: '2026-10-16',
    end: '2026-10-17',
  }),
  row(
    'odd names',
    z.object({ format: z.string(), $ref: z.int(), type: inner, properties: inner }),
    { format: 'a', $ref: 1, type: sample, properties: sample },
  ),
  row('array', z.array(inner).min(1).max(3), [sample]),
  row('nonempty array', z.array(z.string()).nonempty(), ['a']),
  row('tuple', z.tuple([z.string(), inner]), ['a', sample]),
  row('tuple with rest', z.tuple([z.string()], inner), ['a', sample]),
  row('tuple with optionals', z.tuple([z.string(), inner.optional()]), ['a']),
  row('record', z.record(z.string(), inner), { a: sample }),
  row('record of formats', z.record(z.email(), inner), { 'a@b.de': sample }),
  row('record of an enum', z.record(z.enum(['a', 'b']), inner), { a: sample, b: sample }),
  row('record of literals', z.record(z.literal(['a', 'b']), inner), { a: sample, b: sample }),
  row('record of numbers', z.record(z.number(), inner), { 1: sample }),
  row('partial record', z.partialRecord(z.enum(['a', 'b']), inner), { a: sample }),
  row('loose record', z.looseRecord(z.string().regex(/^x/), inner), { x1: sample, y: 1 }),
  row('union', z.union([z.string(), inner]), sample),
  row(
    'discriminated union',
    z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('a'), inner }),
      z.object({ kind: z.literal('b'), day: z.iso.date() }),
    ]),
    { kind: 'a', inner: sample },
  ),
  row('xor', z.xor([z.string(), inner]), 'a'),
  row('intersection', z.intersection(inner, z.object({ end: z.iso.date() })), {
    ...sample,
    end: '2026-10-17',
  }),
  row(
    'intersection with a union',
    inner.and(z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])),
    { ...sample, b: 'x' },
  ),
  row(
    'intersection with a record',
    z.intersection(z.looseRecord(z.string().regex(/^x/), inner), z.object({ b: inner })),
    { b: sample },
  ),
  row(
    'nested',
    z.object({ list: z.array(z.record(z.string(), z.tuple([z.object({ deep: inner })]))) }),
    { list: [{ a: [{ deep: sample }] }] },
  ),
];

const modifiers: readonly Expressible[] = [
  row('default', z.int().default(2), 5),
  row('prefault', z.string().prefault('a'), 'b'),
  row('catch', z.string().catch('a'), 'b'),
  row(
    'catch by a function',
    z.string().catch(({ error }) => String(error.issues.length)),
    'b',
  ),
  row('nullable', z.int().nullable(), 3),
  row('nullish', inner.nullish(), sample),
  row('nonoptional', inner.optional().nonoptional(), sample),
  row('readonly', inner.readonly(), sample),
  row('branded', z.string().brand('Id'), 'a'),
  row(
    'refined',
    inner.refine(() => true).superRefine(() => undefined),
    sample,
  ),
  row('checked', z.string().check(z.minLength(1)), 'a'),
  row('described', inner.describe('d').meta({ title: 't', anything: 1 }), sample),
  row('registered', inner.meta({ id: 'VocabularyInner' }), sample),
  row(
    'transform',
    z.object({ inner }).transform((value) => JSON.stringify(value)),
    { inner: sample },
  ),
  row('pipe', z.string().transform(Number).pipe(z.number()), '5'),
  row(
    'preprocess',
    z.preprocess((value) => value, inner),
    sample,
  ),
  row(
    'overwrite',
    z.string().overwrite((text) => text.trim()),
    'a',
  ),
  row('codec', textToDate, '2026-10-16T14:30:00Z'),
  row('codec with a default', textToDate.default(new Date(0)), '2026-10-16T14:30:00Z'),
  row(
    'lazy',
    z.lazy(() => inner),
    sample,
  ),
  row('promise', z.promise(inner), sample),
  row('exact optional', z.object({ a: z.exactOptional(z.string()) }), {}),
  row(
    'apply',
    z.string().apply((text) => text.min(1)),
    'a',
  ),
];

export const EXPRESSIBLE: readonly Expressible[] = [
  ...texts,
  ...values,
  ...containers,
  ...modifiers,
];

const Node = z.object({
  value: z.string(),
  get next() {
    return Node.optional();
  },
});

/** What no model can write, or no schema can say: the kind that the refusal names, and the schema. */
export const INEXPRESSIBLE: readonly (readonly [string, z.ZodType])[] = [
  ['date', z.date()],
  ['date', z.coerce.date()],
  ['bigint', z.bigint()],
  ['bigint', z.int64()],
  ['literal', z.literal(5n)],
  ['symbol', z.symbol()],
  ['undefined', z.undefined()],
  ['void', z.void()],
  ['nan', z.nan()],
  ['map', z.map(z.string(), inner)],
  ['set', z.set(inner)],
  ['custom', z.custom(() => true)],
  ['custom', z.instanceof(URL)],
  ['file', z.file()],
  ['function', z.function() as unknown as z.ZodType], // Zod's types do not count it as a schema.
  ['success', z.success(z.string())],
  ['transform', z.transform((value) => value)],
  ['leads back', Node],
  ['leads back', z.json()],
];
