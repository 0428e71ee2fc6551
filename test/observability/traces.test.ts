import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { importCourse, uploadForm } from '../content/packages.ts';
import { type CollectedSpan, ERROR_STATUS, SPAN_KINDS, startCollector } from '../support/collector.ts';
import { zipOf } from '../support/course-packages.ts';
import { PlayerClient } from '../support/player-client.ts';
import { scorm12Course } from '../support/player-courses.ts';
import { until } from '../support/service.ts';
import type { ServingProcess } from '../support/service-process.ts';
import { startTarget } from '../support/target.ts';
import { answer, failTimes } from '../support/target-behaviours.ts';
import { webhookInput } from '../webhooks/webhook-expectations.ts';
import { addWebhook, CALLER, CALLER_SPAN, SOON, start, TRACE_ID, traceOf } from './trace-helpers.ts';

// Runs on SQLite in `npm test`: spans are made in the process. The trace of a message is stored with it, as in the tests of the queue.

function logLines({ logLines: lines }: ServingProcess, traceId: string) {
  return lines.filter((line) => line.trace_id === traceId);
}

describe('traces', () => {
  it('span the caller, the change, the message, the wait, each attempt and its target', async () => {
    await using collector = await startCollector();
    await using target = await startTarget({ respondWith: failTimes(1, answer(503)) });
    await using service = await start({
      ...SOON,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=k1',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      OTEL_SERVICE_NAME: 'webhooks-of-the-test',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    });
    const { api, program } = service;
    const webhook = await addWebhook(api, target);
    assert.equal((await api.post('/accounts', { name: 'Zoë' }, CALLER)).status, 201);
    await target.waitFor(2);

    const spans = await collector.waitFor(({ traceId }) => traceId === TRACE_ID, 6);
    assert.deepEqual(spans.map(({ name }) => name).sort(), [
      'POST /accounts',
      'change',
      'deliver ACCOUNT_CREATED',
      'deliver ACCOUNT_CREATED',
      'queue ACCOUNT_CREATED',
      'wait ACCOUNT_CREATED',
    ]);
    const named = (name: string) => spans.find((span) => span.name === name)!;
    const request = named('POST /accounts');
    const change = named('change');
    const message = named('queue ACCOUNT_CREATED');
    const wait = named('wait ACCOUNT_CREATED');
    const attempts = spans
      .filter(({ name }) => name === 'deliver ACCOUNT_CREATED')
      .sort((a, b) => a.startedAt - b.startedAt) as [CollectedSpan, CollectedSpan];
    const kindAndParent = ({ kind, parentSpanId }: CollectedSpan) => [kind, parentSpanId];
    assert.deepEqual(kindAndParent(request), [SPAN_KINDS.server, CALLER_SPAN]);
    assert.deepEqual(kindAndParent(change), [SPAN_KINDS.internal, request.spanId]);
    assert.deepEqual(kindAndParent(message), [SPAN_KINDS.producer, change.spanId]);
    assert.deepEqual(kindAndParent(wait), [SPAN_KINDS.internal, message.spanId]);
    for (const attempt of attempts)
      assert.deepEqual(kindAndParent(attempt), [SPAN_KINDS.client, message.spanId]);

    assert.deepEqual(request.attributes, {
      'http.request.method': 'POST',
      'http.route': '/accounts',
      'http.response.status_code': 201,
    });
    const messageId = target.requests[0]!.headers['webhook-id'];
    const described = {
      'messaging.message.id': messageId,
      'coursewire.webhook.id': webhook,
      'coursewire.subtopic': 'ACCOUNT_CREATED',
    };
    const includes = (span: CollectedSpan, expected: Record<string, unknown>) =>
      assert.deepEqual({ ...span.attributes, ...expected }, span.attributes);
    for (const span of [message, wait, ...attempts]) includes(span, described);
    includes(attempts[0], {
      'coursewire.attempt': 1,
      'coursewire.outcome': 'retry',
      'http.response.status_code': 503,
      'server.address': '127.0.0.1',
      'server.port': target.port,
    });
    includes(attempts[1], {
      'coursewire.attempt': 2,
      'coursewire.outcome': 'delivered',
      'http.response.status_code': 200,
    });
    assert.match(String(attempts[0].attributes['coursewire.retry_at']), /^\d{4}-.*Z$/);
    assert.equal(attempts[0].status.code, ERROR_STATUS);
    assert.match(String(attempts[0].status.message), /503/);
    for (const span of [request, change, message, wait, attempts[1]])
      assert.notEqual(span.status.code, ERROR_STATUS, span.name);
    // Both are measured in milliseconds, by clocks that a database server does not share with this machine.
    assert.ok(wait.startedAt >= request.startedAt - 1_000 && wait.endedAt <= attempts[0].endedAt + 1_000);
    assert.ok(
      Number(attempts[1].attributes['coursewire.queue.wait_ms']) >=
        Number(attempts[0].attributes['coursewire.queue.wait_ms']),
    );

    for (const [n, attempt] of attempts.entries()) {
      assert.deepEqual(traceOf(target.requests[n]!), [TRACE_ID, attempt.spanId]);
      assert.equal(target.requests[n]!.headers.tracestate, CALLER.tracestate);
    }
    const lines = await until(() => {
      const found = logLines(program, TRACE_ID);
      return found.some(({ span_id: id }) => id === attempts[1].spanId) && found;
    }, 'log lines of the attempts');
    const idsOf = (pattern: RegExp) =>
      lines.filter(({ msg }) => pattern.test(msg)).map((line) => line.span_id);
    assert.deepEqual(idsOf(/^an account was created$/), [change.spanId]);
    assert.deepEqual(idsOf(/triggered 1 webhook$/), [change.spanId]);
    assert.ok(idsOf(/./).includes(attempts[0].spanId));

    const { path, headers } = collector.requests[0]!;
    assert.equal(path, '/v1/traces');
    assert.equal(headers['api-key'], 'k1');
    assert.equal(request.resource['service.name'], 'webhooks-of-the-test');
    assert.equal(request.resource['deployment.environment.name'], 'test');
    assert.match(String(request.resource['service.version']), /^\d/);
    const sent = JSON.stringify(collector.spans);
    for (const secret of ['secret-path', 'hidden', 'Zoë', api.token])
      assert.ok(!sent.includes(secret), secret);
  });

  it('of requests whose changes share a commit remain separate', async () => {
    await using collector = await startCollector();
    await using target = await startTarget();
    await using service = await start({
      ...SOON,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    });
    await addWebhook(service.api, target);
    const traceIds = Array.from({ length: 30 }, (_, n) => `${n}`.padStart(32, 'a'));
    await Promise.all(
      traceIds.map((id) =>
        service.api.post('/accounts', { name: id }, { traceparent: `00-${id}-${CALLER_SPAN}-01` }),
      ),
    );
    await target.waitFor(traceIds.length);
    for (const postback of target.requests) {
      const { resource } = postback.json as { resource: { account: { name: string } } };
      assert.equal(traceOf(postback)[0], resource.account.name);
    }
    const lines = await until(() => {
      const found = service.program.logLines.filter(({ msg }) => msg === 'an account was created');
      return found.length === traceIds.length && found;
    }, 'a log line of each account');
    assert.deepEqual(new Set(lines.map((line) => line.trace_id)), new Set(traceIds));
  });

  it('of a redelivery and of a test message start with the request for them', async () => {
    await using collector = await startCollector();
    await using target = await startTarget({ respondWith: answer(500) });
    await using service = await start({
      ...SOON,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces`,
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
    });
    const { api } = service;
    const id = (await api.create('/webhooks', webhookInput({ target_url: target.url, max_attempts: 1 })))
      .id as number;
    assert.equal((await api.post('/accounts', { name: 'a' })).status, 201);
    const [dead] = await collector.waitFor(
      ({ attributes }) => attributes['coursewire.outcome'] === 'dead_letter',
    );
    assert.notEqual(dead!.traceId, TRACE_ID);

    target.respondWith(answer(200));
    // The span of an attempt may be exported before its delivery is committed.
    const delivery = await until(
      async () => (await api.get(`/webhooks/${id}/deliveries`)).body.data[0],
      'the dead letter in the history',
    );
    const path = `/webhooks/${id}/deliveries/${delivery.id}/redeliver`;
    assert.ok((await api.post(path, undefined, CALLER)).status < 300);
    const [again] = await collector.waitFor(
      ({ traceId, name }) => traceId === TRACE_ID && name === 'deliver ACCOUNT_CREATED',
    );
    assert.equal(again!.attributes['coursewire.outcome'], 'delivered');
    await target.waitFor(2);
    assert.deepEqual(traceOf(target.requests[1]!), [TRACE_ID, again!.spanId]);

    assert.equal((await api.post(`/webhooks/${id}/test`, undefined, CALLER)).status, 200);
    const [tested] = await collector.waitFor(({ name }) => name === 'deliver test message');
    assert.deepEqual(traceOf(target.requests[2]!), [TRACE_ID, tested!.spanId]);
    assert.equal(target.requests[2]!.headers['webhook-test'], 'true');
  });

  it('of learners start here, whatever trace their browsers name, and those of API clients do not', async () => {
    await using collector = await startCollector();
    await using target = await startTarget();
    await using service = await start({
      ...SOON,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    });
    const { api } = service;
    const webhook = {
      topic: 'REGISTRATION',
      subtopics: ['REGISTRATION_STATUS_UPDATED'],
      target_url: target.url,
    };
    await api.create('/webhooks', webhookInput(webhook));
    const { id: account } = await api.create('/accounts', { name: 'a' });
    const files = new Uint8Array(await zipOf(scorm12Course()));
    const { id: course } = await api.create('/courses', uploadForm(files));
    const contents = [{ type: 'COURSE', id: course }];
    assert.equal((await api.post(`/accounts/${account}/content`, { contents })).status, 200);
    const registration = { account_id: account, course_id: course, learner_id: 'ann' };
    const { registration_id: id } = await api.create('/registrations', registration);
    const launched = await api.post(`/registrations/${id}/launch`, {}, CALLER);

    // Not sampled: if the learner's request could decide that, the event would be in no trace.
    const headers = { ...CALLER, traceparent: `00-${TRACE_ID}-${CALLER_SPAN}-00` };
    const opened = await fetch(launched.body.launch_url, { redirect: 'manual', headers });
    const learner = new PlayerClient(opened.headers.get('location')!.replace(/\/player\/$/, ''), headers);
    await learner.open();
    await learner.openUnit('i1');
    assert.equal((await learner.commit('i1', { core: { lesson_status: 'passed' } })).status, 200);
    await target.waitFor(1);
    const [traceId] = traceOf(target.requests[0]!);
    assert.notEqual(traceId, TRACE_ID);
    assert.equal(target.requests[0]!.headers.tracestate, undefined);
    const commit = await collector.waitFor(({ name }) => /^POST .*commit$/.test(name), 1);
    assert.deepEqual([commit[0]!.traceId, commit[0]!.parentSpanId], [traceId, null]);
    const [link] = await collector.waitFor(({ name }) => name === 'GET /launch/*', 1);
    assert.notEqual(link!.traceId, TRACE_ID);
    const [call] = await collector.waitFor(({ name }) => name.endsWith('/launch'), 1);
    assert.deepEqual([call!.traceId, call!.parentSpanId], [TRACE_ID, CALLER_SPAN]);
  });

  it('of content for many accounts, of the redelivery of many and of a replay start with the request for them', async () => {
    await using collector = await startCollector();
    await using target = await startTarget({ respondWith: answer(500) });
    await using service = await start({
      ...SOON,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces`,
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
    });
    const { api } = service;
    const webhook = webhookInput({
      topic: 'ACCOUNT_CONTENT',
      subtopics: ['CONTENT_ADDED_TO_ACCOUNT'],
      target_url: target.url,
      max_attempts: 1,
    });
    const { id } = await api.create('/webhooks', webhook);
    const accountIds: number[] = [];
    for (const name of ['a', 'b', 'c']) accountIds.push((await api.create('/accounts', { name })).id);
    const course = await importCourse({ api });
    /** The outcomes of the messages in the trace of a request, each of them begun by that request. */
    const outcomesOf = async (call: string, body: unknown, traceId: string) => {
      const answered = await api.post(call, body, { traceparent: `00-${traceId}-${CALLER_SPAN}-01` });
      assert.ok(answered.status < 300, JSON.stringify(answered.body));
      const attempts = await until(async () => {
        const found = collector.spans.filter(
          (span) => span.traceId === traceId && span.name === 'deliver CONTENT_ADDED_TO_ACCOUNT',
        );
        return found.length === accountIds.length && found;
      }, `the attempts of ${call}`);
      return attempts.map(({ attributes }) => attributes['coursewire.outcome']);
    };
    const all = (outcome: string) => accountIds.map(() => outcome);

    const addition = { account_ids: accountIds, contents: [{ type: 'COURSE', id: course.id }] };
    assert.deepEqual(await outcomesOf('/account-content/add', addition, 'a'.repeat(32)), all('dead_letter'));
    await until(
      async () => (await api.get(`/webhooks/${id}/deliveries`)).body.data.length === accountIds.length,
      'the dead letters in the history',
    );
    target.respondWith(answer(200));
    const redelivery = `/webhooks/${id}/deliveries/redeliver`;
    assert.deepEqual(await outcomesOf(redelivery, undefined, 'b'.repeat(32)), all('delivered'));
    const replay = `/webhooks/${id}/replay?from_dt=2001-01-01T00:00:00Z&again=true`;
    assert.deepEqual(await outcomesOf(replay, undefined, 'c'.repeat(32)), all('delivered'));
    const later = await api.create('/webhooks', webhook);
    const missed = `/webhooks/${later.id}/replay?from_dt=2001-01-01T00:00:00Z`;
    assert.deepEqual(await outcomesOf(missed, undefined, 'd'.repeat(32)), all('delivered'));
  });
});
