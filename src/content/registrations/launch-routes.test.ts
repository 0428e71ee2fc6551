import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fastify from 'fastify';
import { SILENT_LOGS } from '../../../test/support/logs.ts';
import { DatabaseUnavailableError } from '../../database/database.ts';
import { installProblemResponses } from '../../http/problem-responses.ts';
import { ProblemError } from '../../problems/problem.ts';
import { launchPagePolicy } from './launch-page.ts';
import { launchRoutes } from './launch-routes.ts';
import type { RegistrationService } from './registration-service.ts';

/** Opens a launch link in a browser, where reading the launch fails. */
async function openWhile(error: Error) {
  await using server = fastify();
  installProblemResponses(server, SILENT_LOGS.for('HttpServer'));
  const registrations = {
    registrationOfLaunch: () => '0196f5c2-7b1e-7c55-9a3e-3f2b1c0d9e8f',
    readLaunch: () => Promise.reject(error),
  };
  launchRoutes(server, registrations as unknown as RegistrationService, () => Promise.reject(error));
  return await server.inject({ url: '/launch/cwl2_a', headers: { accept: 'text/html,*/*;q=0.8' } });
}

describe('a launch link', () => {
  it('shows a page while the database is unavailable', async () => {
    const { statusCode, headers, body } = await openWhile(new DatabaseUnavailableError('locked'));
    assert.equal(statusCode, 503);
    assert.match(body, /<h1>The course cannot be opened right now<\/h1>/);
    assert.equal(headers['retry-after'], '5');
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    assert.equal(headers['content-security-policy'], launchPagePolicy());
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers['referrer-policy'], 'no-referrer');
  });

  it('shows the same page while too many requests wait', async () => {
    const { statusCode, headers, body } = await openWhile(
      new ProblemError('too-many-requests', 'Too many requests wait', { headers: { 'Retry-After': '1' } }),
    );
    assert.deepEqual([statusCode, headers['retry-after']], [429, '1']);
    assert.match(body, /<h1>The course cannot be opened right now<\/h1>/);
  });

  it('shows no such page if another try would also fail', async () => {
    const { statusCode, headers } = await openWhile(new ProblemError('invalid-request', 'It is invalid'));
    assert.deepEqual([statusCode, headers['content-type']], [400, 'application/problem+json']);
  });
});
