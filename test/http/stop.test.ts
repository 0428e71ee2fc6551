import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { makeParties, register } from '../content/registration-helpers.ts';
import { createAccounts, createWebhook } from '../delivery/webhook-helpers.ts';
import { isListening } from '../support/free-port.ts';
import { connectTo } from '../support/raw-http.ts';
import { measureRunningTime } from '../support/running-time.ts';
import { startTestService, type TestService, until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { answer, hang } from '../support/target-behaviours.ts';

// Runs on SQLite alone: the response does not depend on the database.

/** Opens a connection without a request. */
async function open(url: string): Promise<Socket> {
  const client = connectTo(url);
  await once(client, 'connect');
  return client;
}

/** Sends the beginning of a request, whose body follows if the test sends it. */
async function beginRequest(url: string, head: string, bodyLength: number): Promise<Socket> {
  const client = await open(url);
  const fields = `Host: x\r\nContent-Type: application/json\r\nContent-Length: ${bodyLength}\r\nExpect: 100-continue`;
  client.write(`${head}\r\n${fields}\r\n\r\n`);
  // The response "100 Continue" shows that the request has arrived.
  await once(client, 'readable');
  client.read();
  return client;
}

async function untilStopping({ logLines }: TestService): Promise<void> {
  await until(() => logLines.some(({ msg }) => msg === 'stopping'), 'it is stopping');
}

test('a client that does not read its response delays shutdown for at most shutdown_timeout', async () => {
  const service = await startTestService({ settings: { shutdown_timeout: 0.2 } });
  const client = await open(service.url);
  client.pause();
  // The response is larger than the sockets' buffers.
  const request = 'GET /docs/static/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n';
  client.write(request.repeat(8));
  await once(client, 'readable');

  using took = measureRunningTime();
  await service.stop();
  client.destroy();
  assert.ok(took.ms < 10_000, `it took ${took.ms} ms`);
});

test('requests, learners’ requests and postbacks in progress share the time that shutdown_timeout gives them', async () => {
  const shutdown_timeout = 4;
  await using target = await startTarget({ respondWith: hang() });
  await using service = await startTestService({ settings: { shutdown_timeout } });
  await createWebhook(service.api, target.url);
  await createAccounts(service.api, 'Acme');
  await target.waitFor(1);
  const clients = [
    await beginRequest(service.url, 'POST /public/v1/auth HTTP/1.1', 10),
    await beginRequest(service.service.contentUrl, 'POST /xapi/statements HTTP/1.1', 10),
  ];

  const begun = performance.now();
  using took = measureRunningTime();
  await service.stop();
  const tookSeconds = (performance.now() - begun) / 1_000;
  const runningSeconds = took.ms / 1_000;
  for (const client of clients) client.destroy();
  assert.ok(tookSeconds >= shutdown_timeout, `it took ${tookSeconds} s`);
  // One after another, they would take three times as long.
  assert.ok(runningSeconds < 2.5 * shutdown_timeout, `it took ${runningSeconds} s`);
});

test('a stop receives no more messages from the queue, while test messages in progress get their responses', async () => {
  await using target = await startTarget();
  const service = await startTestService({ settings: { shutdown_timeout: 30 } });
  await using _stopped = service;
  const { api } = service;
  const webhook = await createWebhook(api, target.url);
  const { promise: held, resolve: hold } = Promise.withResolvers<Parameters<ReturnType<typeof answer>>[0]>();
  target.respondWith(hold);
  const testing = api.post(`/webhooks/${webhook}/test`, {});
  const exchange = await held;
  target.respondWith(answer(200));
  const body = JSON.stringify({ name: 'Acme' });
  const head = `POST /accounts HTTP/1.1\r\nAuthorization: Bearer ${api.token}\r\nConnection: close`;
  const client = await beginRequest(service.url, head, body.length);

  const begun = performance.now();
  const stopping = service.stop();
  await untilStopping(service);
  client.write(body);
  assert.match(await text(client), /^HTTP\/1\.1 201 /);
  answer(200)(exchange);
  const { status, body: result } = await testing;
  assert.deepEqual([status, result.delivered], [200, true]);
  await stopping;
  assert.ok(performance.now() - begun < 15_000, 'it waited for a connection without a request');
  assert.equal(target.requests.length, 1, 'the event of the account was sent');
});

test('a request on a connection that was opened before a stop gets a complete response during the stop', async () => {
  const service = await startTestService({ settings: { shutdown_timeout: 30 } });
  await using _stopped = service;
  const { registration_id } = await register(service, await makeParties(service));
  const { contentUrl } = service.service;
  const [client, learner] = [await open(service.url), await open(contentUrl)];
  // A response on a later connection shows that the server has accepted the earlier one.
  for (const url of [service.url, contentUrl]) await (await fetch(`${url}/health/live`)).arrayBuffer();

  const stopping = service.stop();
  for (const url of [service.url, contentUrl])
    await until(async () => !(await isListening(Number(new URL(url).port))), 'it no longer listens');
  const authorization = `Authorization: Bearer ${service.api.token}`;
  const launch = `POST /registrations/${registration_id}/launch HTTP/1.1\r\nHost: x\r\nContent-Length: 0`;
  client.write(`${launch}\r\n${authorization}\r\n\r\n`);
  const launched = await text(client);
  assert.match(launched, /^HTTP\/1\.1 200 /);
  assert.match(launched, /^connection: close\r$/im);
  assert.ok(launched.includes(`"launch_url":"${service.url}/`), launched);
  learner.write('GET /unknown/file HTTP/1.1\r\nHost: x\r\n\r\n');
  const refused = await text(learner);
  assert.match(refused, /^HTTP\/1\.1 404 /);
  assert.match(refused, /^content-type: application\/problem\+json\r$/im);
  assert.match(refused, /^connection: close\r$/im);
  await stopping;
});
