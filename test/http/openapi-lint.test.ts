import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { json } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import spectralCore from '@stoplight/spectral-core';
import { aroundTests } from '../support/around-tests.ts';
import { startTestService, type TestService, temporaryFolder } from '../support/service.ts';
import { SPECTRAL_RULES } from './spectral-rules.ts';

// Runs on SQLite alone: the description of the API is the same on every database.

const REDOCLY = join(
  dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json')),
  'bin/cli.js',
);
const RULES = fileURLToPath(new URL('redocly.yaml', import.meta.url));

interface Finding {
  ruleId: string;
  message: string;
  location: { pointer?: string }[];
}

describe('the rules for the OpenAPI description', () => {
  let service: TestService;
  let description: string;

  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    description = await (await fetch(`${service.url}/openapi.json`)).text();
  });

  test('of Redocly are met by the description of the service', async () => {
    assert.deepEqual(await lint(description), []);
  });

  test('of Spectral are met, too', async () => {
    assert.deepEqual(await lintWithSpectral(JSON.parse(description)), []);
  });

  test('of Spectral detect a description that breaks them', async () => {
    const broken = JSON.parse(description);
    const { Account } = broken.components.schemas;
    const { post } = broken.paths['/accounts'];
    const { requestBody } = broken.paths['/accounts/{account_id}'].put;
    requestBody.content['application/json'].schema = { type: 'object', properties: {} };
    delete Account.properties.enabled.type;
    post.responses[401].content['application/problem+json'].schema = { type: 'object' };
    broken.components.schemas.lower_case = { $ref: '#/components/schemas/Account' };
    post.tags = [];
    const found = new Set((await lintWithSpectral(broken)).map(({ rule }) => rule));
    for (const rule of [
      'bodies-are-components',
      'components-are-named-like-types',
      'members-have-types',
      'problems-are-problems',
      'operation-tags',
    ])
      assert.ok(found.has(rule), `${rule} is not among ${[...found].join()}`);
  });

  test('of the project detect types, names, headers and statuses that spoil generated clients', async () => {
    const broken = JSON.parse(description);
    const { Account, AuditItem, Event } = broken.components.schemas;
    Account.properties.name.type = ['string', 'number'];
    AuditItem.oneOf[0].enum = ['a', 'b'];
    delete Event.properties.event_dt.format;
    Event.properties.content.uniqueItems = true;
    const { get, put } = broken.paths['/accounts/{account_id}'];
    get.parameters[0].schema = { type: 'string' };
    get.operationId = 'getAccountByItsIdentifierInThePath';
    get.responses[404].description = 'The  does not exist.';
    delete put.responses[200].headers.ETag;
    delete put.responses[412];
    const { post } = broken.paths['/accounts'];
    delete post.responses[201].headers;
    delete post.responses[401].headers;
    delete post.responses[503].headers;
    delete post.responses[422];
    delete post.responses[415];
    broken.webhooks.ACCOUNT_CREATED.post.parameters.shift();
    const found = await lintWithSpectral(broken);
    const messagesOf = (rule: string) =>
      found.filter((each) => each.rule === rule).map(({ message }) => message);
    assert.deepEqual(messagesOf('schemas-have-one-type'), [
      'Generators cannot read the types string, number.',
    ]);
    assert.equal(messagesOf('enums-are-components').length, 1);
    assert.equal(messagesOf('lists-are-lists').length, 1);
    assert.deepEqual(messagesOf('times-are-times'), ['event_dt is a time, but has no format.']);
    assert.deepEqual(messagesOf('parameters-have-the-types-of-members'), ['account_id is no id.']);
    assert.equal(messagesOf('operation-ids-are-short').length, 1);
    assert.deepEqual(messagesOf('descriptions-are-whole'), ['“The  does not exist.” lacks a word.']);
    assert.deepEqual(messagesOf('postbacks-declare-their-headers'), ['The header webhook-id is missing.']);
    assert.deepEqual(messagesOf('headers-and-their-statuses-are-declared').sort(), [
      'The response 200 does not declare ETag.',
      'The response 201 does not declare Idempotent-Replayed.',
      'The response 201 does not declare Location.',
      'The response 401 does not declare WWW-Authenticate.',
      'The response 503 does not declare Retry-After.',
      'The status 412 is missing.',
      'The status 415 is missing.',
      'The status 422 is missing.',
    ]);
  });

  test('of Redocly detect a description that breaks them', async () => {
    const broken = JSON.parse(description);
    const { Account, Topic, LineHead } = broken.components.schemas;
    delete Account.properties.id.format;
    delete Account.properties.id.maximum;
    Account.properties.name.pattern = '^(?=x)';
    delete Topic.type;
    LineHead.properties.score = { type: 'number' };
    const { post } = broken.paths['/accounts'];
    post.operationId = 'post_accounts';
    delete post.responses.default;
    const rules = new Set((await lint(JSON.stringify(broken))).map(({ rule }) => rule));
    assert.deepEqual([...rules].sort(), [
      'rule/enums-have-a-type',
      'rule/integers-have-a-size',
      'rule/numbers-have-a-size',
      'rule/operations-are-called-by-verbs',
      'rule/operations-have-a-default-problem',
      'rule/patterns-are-read-by-re2',
    ]);
  });
});

/** Spectral's findings for a description. */
async function lintWithSpectral(
  description: object,
): Promise<{ rule: string; message: string; at: string }[]> {
  const spectral = new spectralCore.Spectral();
  spectral.setRuleset(SPECTRAL_RULES);
  const findings = await spectral.run(description as Record<string, unknown>);
  return findings.map(({ code, message, path }) => ({ rule: String(code), message, at: path.join('/') }));
}

/** Redocly's findings for a description. */
async function lint(description: string): Promise<{ rule: string; message: string; at: string }[]> {
  await using folder = temporaryFolder();
  const file = join(folder.path, 'openapi.json');
  await writeFile(file, description);
  const child = spawn(
    process.execPath,
    [REDOCLY, 'lint', file, '--config', RULES, '--format', 'json', '--max-problems', '1000'],
    {
      // It must make no requests to its maker.
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const { problems } = (await json(child.stdout)) as { problems: Finding[] };
  return problems.map(({ ruleId, message, location }) => ({
    rule: ruleId,
    message,
    at: location[0]?.pointer ?? '',
  }));
}
