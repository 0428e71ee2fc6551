import {
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { Agent } from 'undici';
import { exampleMessage } from './example-message.ts';

/**
 * The baseline for the service on SQS: a bare client that sends, receives and deletes in tens, and posts each message.
 * It keeps no order, stores nothing and handles no failure. Reports messages per second and requests per message.
 */

const [endpoint = '', region = '', queueUrl = '', url = '', groups = '', total = ''] = process.argv.slice(2);
const MESSAGES = Number(total);
const GROUPS = Number(groups);
const BATCH = 10;
const PARALLEL = 8;

const client = new SQSClient({ endpoint, region, useQueueUrlAsEndpoint: false });
const { origin, pathname } = new URL(url);
const agent = new Agent({ connections: 64 });
const body = exampleMessage({ id: 1, target_url: url });
let requests = 0;
let next = 0;
let posted = 0;

async function send(): Promise<void> {
  while (next < MESSAGES) {
    const numbers = Array.from({ length: Math.min(BATCH, MESSAGES - next) }, (_, n) => next + n);
    next += numbers.length;
    requests += 1;
    const Entries = numbers.map((n) => ({
      Id: String(n),
      MessageBody: body,
      MessageGroupId: String(n % GROUPS),
      MessageDeduplicationId: String(n),
    }));
    await client.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
  }
}

async function receive(): Promise<void> {
  while (posted < MESSAGES) {
    requests += 1;
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: BATCH, WaitTimeSeconds: 1 }),
    );
    if (Messages.length === 0) continue;
    await Promise.all(
      Messages.map(async ({ Body = '' }) => {
        const headers = { 'content-type': 'application/json' };
        const answer = await agent.request({ origin, path: pathname, method: 'POST', headers, body: Body });
        await answer.body.dump();
      }),
    );
    posted += Messages.length;
    requests += 1;
    const Entries = Messages.map(({ ReceiptHandle }, n) => ({ Id: String(n), ReceiptHandle }));
    await client.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
  }
}

process.on('disconnect', () => process.exit());
const startedAt = performance.now();
await Promise.all(Array.from({ length: PARALLEL }, () => Promise.all([send(), receive()])));
const seconds = (performance.now() - startedAt) / 1_000;
process.send?.({ perSecond: MESSAGES / seconds, requestsPerMessage: requests / MESSAGES });
process.disconnect?.();
