import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fastifySwagger } from '@fastify/swagger';
import { Validator } from '@seriousme/openapi-schema-validator';
import { fastify } from 'fastify';
import { ClientService } from '../../src/identity/clients/client-service.ts';
import { tokenEndpoint } from '../../src/identity/tokens/token-endpoint.ts';
import { CLIENT_BASIC } from '../../src/identity/tokens/token-schemas.ts';
import { openTestDatabase } from '../support/database.ts';
import { SILENT_LOGS } from '../support/logs.ts';
import { createTokens } from './identity-helpers.ts';

// Runs on SQLite alone: the description of the API is the same on every database.

const TOKEN_PATH = '/public/v1/auth';

it('the OpenAPI description matches the behaviour of the token endpoint', async () => {
  await using owned = await openTestDatabase();
  await using server = fastify();
  await server.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Test', version: '1' },
      components: { securitySchemes: { [CLIENT_BASIC]: { type: 'http', scheme: 'basic' } } },
    },
  });
  await server.register(tokenEndpoint, {
    clients: new ClientService({ database: owned.database, now: Date.now }),
    tokens: await createTokens(owned.database, Date.now),
    log: SILENT_LOGS.for('TokenEndpoint'),
  });
  await server.ready();
  // As it is served: the validator must not see more than JSON has.
  const description = JSON.parse(JSON.stringify(server.swagger()));

  assert.deepEqual(await new Validator().validate(structuredClone(description)), { valid: true });
  assert.deepEqual(Object.keys(description.paths[TOKEN_PATH]), ['post']);
  const { requestBody, responses, security } = description.paths[TOKEN_PATH].post;
  assert.deepEqual(Object.keys(requestBody.content), ['application/x-www-form-urlencoded']);
  const form = requestBody.content['application/x-www-form-urlencoded'].schema;
  assert.deepEqual(form.required, ['grant_type']);
  assert.deepEqual(Object.keys(form.properties).sort(), [
    'client_id',
    'client_secret',
    'grant_type',
    'scope',
  ]);
  const { 200: granted, ...errors } = responses;
  assert.ok(granted);
  assert.deepEqual(Object.keys(errors), ['400', '429', '500', '503', 'default']);
  for (const error of Object.values(errors))
    assert.deepEqual((error as { content: object }).content, errors['400'].content);
  assert.deepEqual(security, [{ [CLIENT_BASIC]: [] }, {}]);
});
