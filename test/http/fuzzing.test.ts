import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { importCourse } from '../content/packages.ts';
import { longestStallDuring } from '../support/event-loop.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { webhookInput } from '../webhooks/webhook-expectations.ts';

// Needs a process of its own: it starts a service while it is loaded, and measures stalls of the event loop.

/** Requests for each operation; `FUZZ_RUNS` makes more of them. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 8);
const MAX_STALL_MS = 100;
/** How often, in a hundred, a part of a request is replaced by something that does not belong there. */
const HOSTILE_PERCENT = 15;

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
  format?: string;
}

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema: Schema;
}

interface Operation {
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<
    string,
    { headers?: Record<string, unknown>; content?: Record<string, { schema: Schema }> }
  >;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

interface FuzzedRequest {
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

const HOSTILE = fc.oneof(
  fc.constantFrom(null, '', 0, -1, 1.5, 1e300, true, [], {}, [[]], '\u0000', '__proto__', '../../etc/passwd'),
  fc.constantFrom('💥'.repeat(300), 'a'.repeat(5_000), '\ud800', "'; drop table webhooks; --", '%s%n{{7*7}}'),
  fc.constantFrom(JSON.parse('{"__proto__":{"admin":true},"constructor":1}'), [1, 'a', null, {}]),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Targets on which nothing listens, so that test messages end at once. */
const TARGET_URLS = fc.constantFrom(
  'http://127.0.0.1:9/',
  'http://127.0.0.1:9/a?b=c',
  'ftp://a',
  'http://[::1',
  '//',
);

/** Values that match a schema, except that a part is sometimes replaced. */
class Values {
  readonly #document: Document;

  constructor(document: Document) {
    this.#document = document;
  }

  of(schema: Schema, name = ''): fc.Arbitrary<unknown> {
    return fc.oneof(
      { weight: 100 - HOSTILE_PERCENT, arbitrary: this.#fitting(schema, name) },
      { weight: HOSTILE_PERCENT, arbitrary: HOSTILE },
    );
  }

  #fitting(schema: Schema, name: string): fc.Arbitrary<unknown> {
    if (name === 'target_url') return TARGET_URLS;
    if (schema.$ref !== undefined) {
      const target = this.#document.components.schemas[schema.$ref.split('/').at(-1)!];
      return this.#fitting(target ?? {}, name);
    }
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
    const branches = schema.anyOf ?? schema.oneOf;
    if (branches !== undefined) return fc.oneof(...branches.map((each) => this.#fitting(each, name)));
    const types = [schema.type ?? []].flat();
    if (types.length === 0) return HOSTILE;
    return fc.oneof(...types.map((type) => this.#ofType(type, schema, name)));
  }

  #ofType(type: string, schema: Schema, name: string): fc.Arbitrary<unknown> {
    switch (type) {
      case 'null':
        return fc.constant(null);
      case 'boolean':
        return fc.boolean();
      case 'integer':
        // Mostly ids that exist.
        return fc.oneof(fc.integer({ min: 1, max: 5 }), fc.maxSafeInteger());
      case 'number':
        return fc.double({ min: schema.minimum ?? -1e9, max: schema.maximum ?? 1e9, noNaN: true });
      case 'array':
        return fc.array(this.of(schema.items ?? {}), { maxLength: Math.min(4, schema.maxItems ?? 4) });
      case 'object':
        return this.#object(schema);
    }
    if (schema.format === 'date-time' || name.endsWith('_dt'))
      return fc.oneof(
        fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
        fc.constantFrom('2026-02-30T00:00:00Z', '9999-99-99', '2026-01-31T09:30:00.000+23:59'),
      );
    return fc.string({ unit: 'grapheme', minLength: 1, maxLength: Math.min(30, schema.maxLength ?? 30) });
  }

  #object({ properties = {}, required = [] }: Schema): fc.Arbitrary<unknown> {
    const members = Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [name, this.of(schema, name)]),
    );
    return fc.record(members, { requiredKeys: required.filter((name) => name in members) as never[] });
  }
}

const IDS = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 5 }).map(String) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '0',
      '-1',
      '1.5',
      'abc',
      '1e3',
      '99999999999999999999',
      '%00',
      '%F0%9F%92%A5',
      '..%2f..',
      '01',
    ),
  },
);

/** A request for an operation. */
function requestFor(
  document: Document,
  path: string,
  operation: Operation,
  uuids: readonly string[],
): fc.Arbitrary<FuzzedRequest> {
  const values = new Values(document);
  const parameters = operation.parameters ?? [];
  const places = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const pathValues = fc.tuple(
    ...places.map((name) =>
      name === 'type'
        ? fc.constantFrom('COURSE', 'FOLDER', 'BUNDLE', 'EQUIVALENT', 'x')
        : name === 'registration_id'
          ? fc.oneof(fc.constantFrom(...uuids), IDS)
          : IDS,
    ),
  );
  const query = fc.tuple(
    ...parameters
      .filter((parameter) => parameter.in === 'query')
      .map(({ name, schema }) =>
        fc.option(values.of(schema, name)).map((value) =>
          value === null
            ? ''
            : [value]
                .flat()
                .map((each) => `${name}=${encodeURIComponent(textOf(each).toWellFormed())}`)
                .join('&'),
        ),
      ),
    fc.constantFrom('', '', '', '', 'unknown=1', 'limit=1&limit=2', 'cursor=AAAA', 'limit', '%zz'),
  );
  const headers = fc.record(
    {
      'idempotency-key': fc.constantFrom('k', '"k"', 'a b', '', 'x'.repeat(300), '\u00fc'),
      'if-match': fc.constantFrom('*', '"1"', '1', 'W/"1"', '"x", "1"', ''),
    },
    { requiredKeys: [] },
  );
  const [media, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const body =
    content === undefined
      ? fc.constant(undefined)
      : fc.oneof(
          { weight: 9, arbitrary: values.of(content.schema).map((value) => JSON.stringify(value)) },
          { weight: 1, arbitrary: fc.constantFrom('{', '', '[]', 'null', '{"a":1e999}', '\ufeff{}') },
        );
  const contentType =
    media === 'application/json'
      ? fc.constantFrom(
          media,
          media,
          media,
          media,
          media,
          media,
          'text/plain',
          'application/json; charset=utf-16',
        )
      : fc.constantFrom(
          'application/json',
          'multipart/form-data; boundary=x',
          'application/x-www-form-urlencoded',
        );
  return fc.record({ pathValues, query, headers, body, contentType }).map((parts) => {
    const named = places.reduce((text, name, at) => text.replace(`{${name}}`, parts.pathValues[at]!), path);
    const asked = parts.query.filter((each) => each !== '').join('&');
    return {
      path: asked === '' ? named : `${named}?${asked}`,
      headers: {
        ...parts.headers,
        ...(parts.body === undefined ? {} : { 'content-type': parts.contentType }),
      },
      body: parts.body,
    };
  });
}

const service = await startTestService({ settings: { enable_queue_polling: false, delivery_timeout: 1 } });
const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as Document;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);

describe('random requests from the OpenAPI description', () => {
  const uuids: string[] = [];
  const ajv = new Ajv2020({ strict: false, validateFormats: true });
  formats.default(ajv);
  before(async () => {
    ajv.addSchema({ $id: 'document', components: document.components });
    uuids.push(...(await makeSomeOfEverything(service)));
  });
  after(() => service.stop());

  for (const { path, method, operation } of operations) {
    test(`${method} ${path} returns only described responses, and never stalls`, async () => {
      await fc.assert(
        fc.asyncProperty(
          requestFor(document, path, operation, uuids.length > 0 ? uuids : ['x']),
          async (request) => {
            let response: Response | undefined;
            let text = '';
            const stall = await longestStallDuring(async () => {
              response = await fetch(service.url + request.path, {
                method,
                headers: { authorization: `Bearer ${service.api.token}`, ...request.headers },
                ...(request.body === undefined ? {} : { body: request.body }),
              });
              text = await response.text();
            });
            const { status } = response!;
            const described = operation.responses[String(status)];
            assert.ok(status < 500, `${status}: ${text}`);
            assert.ok(described !== undefined, `${status} is not described: ${text}`);
            assertHeadersDescribed(status, described.headers ?? {}, response!.headers);
            assertDescribed(ajv, described.content, response!.headers.get('content-type') ?? '', text);
            assert.ok(stall < MAX_STALL_MS, `the event loop was blocked for ${stall.toFixed()} ms`);
          },
        ),
        { numRuns: RUNS, endOnFailure: true },
      );
    });
  }
});

/** Response headers that clients act on. */
const HEADERS = ['ETag', 'Location', 'Retry-After', 'Idempotent-Replayed', 'WWW-Authenticate'];

function assertHeadersDescribed(status: number, described: object, headers: Headers): void {
  for (const name of HEADERS) {
    if (headers.has(name)) assert.ok(name in described, `${status}: the header ${name} is not described`);
  }
  if (status < 300)
    for (const name of ['ETag', 'Location'])
      if (name in described)
        assert.ok(headers.has(name), `${status}: the described header ${name} is missing`);
}

function assertDescribed(
  ajv: Ajv2020,
  content: Record<string, { schema: Schema }> | undefined,
  contentType: string,
  text: string,
): void {
  const [media = ''] = contentType.split(';', 1);
  if (content === undefined) {
    assert.equal(text, '', 'no body is described');
    return;
  }
  const schema = content[media]?.schema;
  assert.ok(schema !== undefined, `${media} is not described: ${text}`);
  const local = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as object;
  const body: unknown = JSON.parse(text);
  assert.ok(ajv.validate(local, body), `${ajv.errorsText()}: ${text.slice(0, 500)}`);
}

/** Creates the objects with ids 1 to 5, and the registrations whose ids it returns. */
async function makeSomeOfEverything(made: TestService): Promise<string[]> {
  const { api } = made;
  const registrations: string[] = [];
  for (let n = 0; n < 3; n++) {
    await api.create('/webhooks', webhookInput({ name: `w ${n}`, target_url: 'http://127.0.0.1:9/' }));
    const account = await api.create('/accounts', { name: `a ${n}` });
    await api.create('/folders', { name: `f ${n}`, parent_id: 1 });
    const course = await importCourse(made, { name: `c ${n}` });
    const contents = [{ type: 'COURSE', id: course.id }];
    await api.create('/bundles', { name: `b ${n}`, folder_id: 1, contents });
    await api.post(`/accounts/${account.id}/content`, { contents });
    const registration = await api.post('/registrations', {
      account_id: account.id,
      course_id: course.id,
      learner: { id: 'l' },
      learner_id: 'l',
    });
    if (registration.status === 201) registrations.push(registration.body.registration_id);
  }
  return registrations;
}

/** Also of objects without a prototype, which {@link String} cannot convert. */
function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
