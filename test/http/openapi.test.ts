import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { SUBTOPICS } from '../../src/events/catalogue.ts';
import { aroundTests } from '../support/around-tests.ts';
import { Api, createClient, requestToken, startTestService, type TestService } from '../support/service.ts';

// Runs on SQLite alone: the description of the API is the same on every database.

interface Operation {
  operationId: string;
  summary: string;
  security?: Record<string, string[]>[];
  parameters?: { name: string; in: string; required?: boolean }[];
  responses: Record<string, { description: string; headers?: object; content?: Record<string, unknown> }>;
  requestBody?: { content: Record<string, { schema: object; example?: { subtopic: string } }> };
}

describe('the OpenAPI description', () => {
  let service: TestService;
  let document: {
    openapi: string;
    paths: Record<string, Record<string, Operation>>;
    webhooks: Record<string, Record<string, Operation>>;
    components: { schemas: Record<string, object>; securitySchemes: Record<string, object> };
  };

  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    document = (await (await fetch(`${service.url}/openapi.json`)).json()) as typeof document;
  });

  const operations = () =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, operation })),
    );

  test('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(document) as Record<string, unknown> as never);
    assert.deepEqual(result.errors ?? [], []);
    assert.equal(result.valid, true);
    assert.equal(document.openapi, '3.1.0');
  });

  test('lists no folder among the assets of a message or an event, because neither ever contains one', () => {
    const schemas = document.components.schemas as Record<string, { enum?: string[]; properties?: object }>;
    for (const name of ['MessageContentItem', 'EventContent'])
      assert.deepEqual(schemas[name]?.properties, {
        ...schemas[name]?.properties,
        type: { $ref: '#/components/schemas/AssetType' },
      });
    assert.deepEqual(schemas.AssetType?.enum, ['COURSE', 'EQUIVALENT', 'BUNDLE']);
  });

  test('has an operation for every call that the server accepts', async () => {
    const calls = [
      'post /public/v1/auth',
      'get /content/{type}/{content_id}/accounts',
      'post /account-content/add',
      'post /account-content/remove',
      'get /audit-log',
      'get /audit-log/{entry_id}',
      'get /accounts',
      'post /accounts',
      'get /accounts/{account_id}',
      'put /accounts/{account_id}',
      'delete /accounts/{account_id}',
      'get /accounts/{account_id}/content',
      'post /accounts/{account_id}/content',
      'delete /accounts/{account_id}/content/{type}/{content_id}',
      'get /equivalents',
      'post /equivalents',
      'get /equivalents/{equivalent_id}',
      'put /equivalents/{equivalent_id}',
      'delete /equivalents/{equivalent_id}',
      'get /alert-firings',
      'get /alerts',
      'get /alerts/{alert_id}',
      'get /bundles',
      'post /alerts',
      'post /alerts/{alert_id}/test',
      'post /bundles',
      'get /bundles/{bundle_id}',
      'put /alerts/{alert_id}',
      'put /bundles/{bundle_id}',
      'delete /alerts/{alert_id}',
      'delete /bundles/{bundle_id}',
      'get /webhooks',
      'post /webhooks',
      'get /webhooks/{webhook_id}',
      'put /webhooks/{webhook_id}',
      'delete /webhooks/{webhook_id}',
      'post /webhooks/{webhook_id}/replay',
      'post /webhooks/{webhook_id}/signing-secret',
      'delete /webhooks/{webhook_id}/signing-secret',
      'get /webhooks/{webhook_id}/statistics',
      'post /webhooks/{webhook_id}/statistics/reset',
      'get /webhooks/{webhook_id}/health',
      'get /webhooks/{webhook_id}/deliveries',
      'get /webhooks/{webhook_id}/deliveries/{delivery_id}',
      'post /webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver',
      'post /webhooks/{webhook_id}/deliveries/redeliver',
      'post /webhooks/{webhook_id}/deliveries/remove',
      'get /webhooks/{webhook_id}/line',
      'post /webhooks/{webhook_id}/line/retry',
      'post /webhooks/{webhook_id}/line/skip',
      'post /webhooks/test',
      'get /webhooks/{webhook_id}/line/messages',
      'get /webhooks/{webhook_id}/line/messages/{position}',
      'post /webhooks/{webhook_id}/line/messages/{position}/skip',
      'post /webhooks/{webhook_id}/line/purge',
      'post /webhooks/{webhook_id}/test',
      'get /events',
      'get /events/{event_id}',
      'get /events/{event_id}/webhooks',
      'get /folders',
      'post /folders',
      'get /folders/{folder_id}',
      'put /folders/{folder_id}',
      'delete /folders/{folder_id}',
      'get /courses',
      'post /courses',
      'get /courses/{course_id}',
      'put /courses/{course_id}',
      'delete /courses/{course_id}',
      'post /courses/{course_id}/versions',
      'post /courses/{course_id}/versions/{version_id}/preview',
      'post /courses/{course_id}/versions/{version_id}/publish',
      'get /registrations',
      'post /registrations',
      'get /registrations/{registration_id}',
      'delete /registrations/{registration_id}',
      'post /registrations/{registration_id}/launch',
      'get /registrations/{registration_id}/runtime',
      'get /registrations/{registration_id}/statements',
      'post /registrations/{registration_id}/reset',
      'post /registrations/{registration_id}/waive',
      'put /registrations/{registration_id}/status',
    ];
    assert.deepEqual(
      operations()
        .map(({ name }) => name)
        .sort(),
      calls.sort(),
    );
  });

  test('gives the scopes, responses and problems of every call', () => {
    for (const { name, operation } of operations()) {
      assert.ok(operation.summary, `${name} has a summary`);
      const statuses = Object.keys(operation.responses);
      assert.ok(
        statuses.some((status) => status.startsWith('2')),
        `${name} has a success`,
      );
      if (name === 'post /public/v1/auth') continue;
      const [requirement] = operation.security ?? [];
      assert.match(
        requirement?.oauth2?.[0] ?? '',
        /^(content|webhooks|registrations|audit):(read|write)$/,
        name,
      );
      assert.ok(statuses.includes('401') && statuses.includes('403'), `${name} describes 401 and 403`);
      for (const [status, response] of Object.entries(operation.responses)) {
        assert.ok(response.description.length > 5, `${name} ${status} has a description`);
        if (Number(status) < 400) continue;
        assert.deepEqual(
          Object.keys(response.content ?? {}),
          ['application/problem+json'],
          `${name} ${status}`,
        );
      }
      if (statuses.includes('422')) assert.ok(statuses.includes('400'), `${name} describes malformed keys`);
      if (/\{/.test(name)) assert.ok(statuses.includes('404'), `${name} describes 404`);
    }
    const ids = operations().map(({ operation }) => operation.operationId);
    assert.equal(new Set(ids).size, ids.length, 'operation ids are unique');
  });

  test('says what each response means', () => {
    for (const { name, operation } of operations())
      for (const [status, { description }] of Object.entries(operation.responses))
        assert.notEqual(description, 'Default Response', `${name} ${status}`);
  });

  test('declares the header that names the scope of a call, where an access token does not have it', async () => {
    const { clientId, clientSecret } = await createClient(service.settings.data_dir, { scopes: [] });
    const api = new Api(service.url, await requestToken(service.url, clientId, clientSecret));
    for (const { name, operation } of operations()) {
      const scope = operation.security?.[0]?.oauth2?.[0];
      if (scope === undefined) continue;
      const [method = '', path = ''] = name.split(' ');
      const { status, headers } = await api.call(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, '1'));
      assert.equal(status, 403, name);
      const asked = `Bearer realm="coursewire", error="insufficient_scope", scope="${scope}"`;
      assert.equal(headers.get('www-authenticate'), asked, name);
      assert.ok('WWW-Authenticate' in (operation.responses['403']?.headers ?? {}), name);
    }
  });

  test('says which members of a query are required, and no call requires others', async () => {
    for (const { name, operation } of operations()) {
      const [method = '', path = ''] = name.split(' ');
      const declared = (operation.parameters ?? [])
        .filter((each) => each.in === 'query' && each.required === true)
        .map((each) => `/query/${each.name}`);
      const body = operation.requestBody === undefined ? undefined : {};
      const answer = await service.api.call(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, '1'), body);
      const { errors = [] } = answer.status === 400 ? answer.body : {};
      const required = (errors as { pointer: string; detail: string }[])
        .filter(({ pointer, detail }) => pointer.startsWith('/query/') && detail === 'is required')
        .map(({ pointer }) => pointer);
      assert.deepEqual(required, declared, name);
    }
  });

  test('says that messages of an inactive webhook cannot be sent again', () => {
    const again = operations().filter(({ name }) => /\/(redeliver|replay)$/.test(name));
    assert.equal(again.length, 3);
    for (const { name, operation } of again)
      assert.match(operation.responses['409']?.description ?? '', /webhook is inactive/, name);
  });

  test('declares Retry-After where a call can conflict with the delivery of a message', () => {
    const calls = ['line/retry', 'line/skip', 'line/messages/{position}/skip'];
    for (const call of calls) {
      const { responses } = document.paths[`/webhooks/{webhook_id}/${call}`]!.post!;
      assert.ok('Retry-After' in responses['503']!.headers!);
      assert.deepEqual(responses['409']!.headers, responses['503']!.headers, call);
    }
    const others = document.paths['/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver']!.post!;
    assert.equal(others.responses['409']!.headers, undefined);
  });

  test('describes the ten postbacks, each with an example that matches its schema', () => {
    assert.deepEqual(Object.keys(document.webhooks).sort(), [...SUBTOPICS].sort());
    const ajv = new Ajv2020({ strict: false });
    formats.default(ajv);
    ajv.addSchema({ $id: 'document', components: document.components });
    for (const [subtopic, { post }] of Object.entries(document.webhooks)) {
      const media = post?.requestBody?.content['application/json'];
      assert.ok(media, subtopic);
      const { $ref = '' } = media.schema as { $ref?: string };
      for (const name of [$ref, '#/components/schemas/Message']) {
        const validate = ajv.compile({ $ref: `document${name}` });
        assert.ok(validate(media.example), `${subtopic}: ${JSON.stringify(validate.errors)}`);
      }
      assert.equal(media.example?.subtopic, subtopic);
      const other = Object.values(document.webhooks).find(({ post: each }) => each !== post);
      const validate = ajv.compile({ $ref: `document${$ref}` });
      assert.equal(
        validate(other?.post?.requestBody?.content['application/json']?.example),
        false,
        `${subtopic} takes another message`,
      );
    }
  });

  test('accepts no webhook that the service refuses for an empty list of subtopics or a key with a colon', () => {
    const ajv = new Ajv2020({ strict: false });
    formats.default(ajv);
    ajv.addSchema({ $id: 'document', components: document.components });
    const validate = ajv.compile({ $ref: 'document#/components/schemas/WebhookInput' });
    const accepts = (changes: object) =>
      validate({ name: 'CRM', topic: 'COURSE', target_url: 'https://crm.example.com/', ...changes });
    const withKey = (key: string) => ({ authentication: { type: 'BASIC', key, secret: 'secret' } });
    assert.equal(accepts({ subtopics: ['COURSE_IMPORTED'], ...withKey('coursewire') }), true);
    assert.equal(accepts(withKey('')), true, 'as it is returned if the credentials cannot be decrypted');
    assert.equal(accepts({ subtopics: [] }), false);
    assert.equal(accepts(withKey('a:b')), false);
    assert.equal(accepts(withKey('a\n')), false);
  });

  test('names every object for generated clients', () => {
    const unnamed = findSchemas(document, (schema, path) => {
      const isComponent = path.length === 3 && path[0] === 'components';
      return schema.type === 'object' && schema.properties !== undefined && !isComponent;
    });
    assert.deepEqual(unnamed, []);
    for (const name of ['Account', 'AccountInput', 'AccountList', 'RegistrationStatusUpdated', 'Message'])
      assert.ok(name in document.components.schemas, name);
  });

  test('gives the type of every value, and the size of every number', () => {
    const untyped = findSchemas(document, (schema) => {
      if (schema.enum !== undefined || schema.readOnly === true)
        return schema.type === undefined && schema.$ref === undefined;
      const types = [schema.type].flat();
      if (types.includes('integer')) return schema.format !== 'int64' || schema.maximum === undefined;
      return types.includes('number') && schema.format !== 'double';
    });
    assert.deepEqual(
      untyped.filter((path) => !path.includes('/headers/')),
      [],
    );
  });

  test('has only patterns that RE2 supports, too', () => {
    const patterns = new Set<string>();
    findSchemas(document, ({ pattern }) => {
      if (typeof pattern === 'string') patterns.add(pattern);
      return false;
    });
    assert.ok(patterns.size > 0);
    for (const pattern of patterns) assert.doesNotMatch(pattern, /\\u|\(\?[=!<]/, pattern);
  });

  test('has operation ids that start with a verb', () => {
    const verbs = new RegExp(
      '^(add|create|delete|get|import|launch|list|preview|publish|purge|receive|replay|redeliver|remove|request|reset|retry|rotate|skip|' +
        'test|update|upload|waive)[A-Z]\\w+$',
    );
    const received = Object.values(document.webhooks).map(({ post }) => post!);
    for (const { operationId } of [...operations().map(({ operation }) => operation), ...received])
      assert.match(operationId, verbs);
  });
});

/** The paths of all schemas for which `isFound`. Examples are no schemas. */
function findSchemas(
  document: unknown,
  isFound: (schema: Record<string, unknown>, path: string[]) => boolean,
): string[] {
  const found: string[] = [];
  const search = (value: unknown, path: string[]) => {
    if (typeof value !== 'object' || value === null || /^examples?$/.test(path.at(-1) ?? '')) return;
    const isMap = /^(properties|mapping)$/.test(path.at(-1) ?? '');
    if (!isMap && isFound(value as Record<string, unknown>, path)) found.push(path.join('/'));
    for (const [name, member] of Object.entries(value)) search(member, [...path, name]);
  };
  search(document, []);
  return found;
}
