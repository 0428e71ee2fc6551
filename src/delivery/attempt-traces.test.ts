import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startTarget } from '../../test/support/target.ts';
import { answer, redirect } from '../../test/support/target-behaviours.ts';
import { loopbackSender, postbackTo } from '../../test/support/target-sender.ts';
import type { SpanAttributes, SpanOptions, Tracing } from '../observability/tracing/tracing.ts';
import type { ReceivedMessage } from '../queue/message-queue.ts';
import type { DeliveryTarget } from '../webhooks/delivery-targets.ts';
import { AttemptTraces, traceTestMessages } from './attempt-traces.ts';

const PATH = '/services/T0AB/B0CD/sEcReTpAtH';
const QUERY = '?code=sEcReTqUeRy';
const TEST_MESSAGE = {
  messageId: 'msg_1',
  url: 'https://hooks.example.com/',
  body: '{}',
  credentials: null,
  signingKeys: null,
  extraHeaders: {},
};
const OUTCOME = { kind: 'attempt', endedAt: 0, durationMs: 1, resent: false, headers: null } as const;

/** Records the parts of each span that a collector would receive, and separately the reasons of failures. */
function recordedTracing() {
  const sent: unknown[] = [];
  const failures: string[] = [];
  const tracing: Pick<Tracing, 'startSpan'> = {
    startSpan: (name: string, options: SpanOptions = {}) => {
      sent.push(name, options);
      return {
        headers: {},
        run: (work) => work(),
        set: (attributes: SpanAttributes) => void sent.push(attributes),
        fail: (reason) => void failures.push(reason),
        end: () => {},
      };
    },
  };
  return { tracing: tracing as Tracing, sent, failures };
}

describe('the spans of attempts', () => {
  for (const [what, behaviour, reason] of [
    [
      'redirects to its https URL',
      redirect(`https://hooks.example.com${PATH}${QUERY}`, 301),
      '301 Moved Permanently',
    ],
    ['redirects elsewhere', redirect('https://other.example.com/T1/sEcReTelse', 302), '302 Found'],
    [
      'names the URL in its status text',
      answer(404, { statusText: `Cannot POST ${PATH}${QUERY}` }),
      '404 Not Found',
    ],
  ] as const)
    it(`contain no path and no query if the target ${what}`, async () => {
      await using target = await startTarget({ respondWith: behaviour });
      await using sender = loopbackSender();
      const { tracing, sent, failures } = recordedTracing();
      const url = `${target.url}${PATH}${QUERY}`;
      const result = await sender.send(postbackTo(url));
      assert.match(result.reason ?? '', /sEcReT/);
      await traceTestMessages(tracing, async () => result)({ ...TEST_MESSAGE, url });

      const message = { messageId: 'msg_1', label: 'ACCOUNT_CREATED', lineId: 1 } as ReceivedMessage;
      const traces = new AttemptTraces(tracing, Date.now);
      const start = () => traces.start(message, { targetUrl: url } as DeliveryTarget);
      const outcome = { ...OUTCOME, succeeded: false, responseStatus: result.status, responseBody: null };
      start().settled(result, {
        message,
        outcome: { ...outcome, error: result.reason },
        action: 'retry',
        availableAt: 0,
      });
      start().putBack({ ...result, aborted: true });
      assert.deepEqual(failures, [reason, reason, reason]);
      assert.doesNotMatch(JSON.stringify(sent), /sEcReT|services/);
    });

  it('have the reason of a failure without a response, or with the status of a success', async () => {
    const { tracing, failures } = recordedTracing();
    await using sender = loopbackSender();
    const result = await sender.send(postbackTo('http://127.0.0.1:1/'));
    await traceTestMessages(tracing, async () => result)(TEST_MESSAGE);
    const reason = 'timed out after 30 s, before the end of the 200 response';
    await traceTestMessages(tracing, async () => ({ ...result, status: 200, reason }))(TEST_MESSAGE);
    assert.deepEqual(failures, ['connection refused', reason]);
  });
});
