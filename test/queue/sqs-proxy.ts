import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { MIB } from '../../src/bytes.ts';
import { listenOnFreePort } from '../support/free-port.ts';

/**
 * How the proxy treats a request. `cut after`: the server executes it, and the connection breaks before the response.
 * `late`: it is forwarded after seconds. `empty`: an empty response at once. `eleven`: copies of the test's
 * installation, one more than were requested. `silent`: it gets no response. `stalled`: only a response that begins.
 * `huge`: a response of 65 MiB. `entries …`: the request succeeds, but every
 * entry of its batch fails, as the sender's fault. `short batches`: a batch is refused as a whole if its bodies are longer
 * than 256 KiB together. `no limits`: the attributes of a queue do not include the maximum size of a message.
 */
export type Treatment =
  | 'pass'
  | 'late'
  | 'empty'
  | 'eleven'
  | 'silent'
  | 'stalled'
  | 'huge'
  | 'unavailable'
  | 'throttled'
  | 'expired'
  | 'entries throttled'
  | 'entries refused'
  | 'short batches'
  | 'no limits'
  | 'cut before'
  | 'cut after';

/** A proxy of an SQS-compatible server that fails as services and networks do. */
export interface SqsProxy extends AsyncDisposable {
  readonly endpoint: string;
  /**
   * Decides about each request, by its action such as `SendMessageBatch` and the id of the access key that signed it.
   */
  treat: (action: string, accessKey: string) => Treatment;
  /** The actions asked for so far. */
  readonly actions: string[];
  /** How often an action was requested so far. */
  count(action: string): number;
}

/** Less than clients wait for a response. */
const LATE_MS = 2_000;
const REFUSALS = {
  unavailable: [503, 'ServiceUnavailable'],
  throttled: [400, 'ThrottlingException'],
  expired: [403, 'ExpiredTokenException'],
  // As ElasticMQ 1.6.11 refuses it.
  'short batches': [400, 'InvalidAttributeValue'],
} as const;
const HUGE = Buffer.concat([Buffer.from('{}'), Buffer.alloc(65 * MIB, ' ')]);
const ELEVEN = JSON.stringify({
  Messages: Array.from({ length: 11 }, (_, n) => ({
    MessageId: `copy ${n}`,
    ReceiptHandle: `receipt ${n}`,
    Body: '{}',
    MD5OfBody: createHash('md5').update('{}').digest('hex'),
    Attributes: { MessageGroupId: '1' },
    MessageAttributes: { installation: { DataType: 'String', StringValue: 'test-installation' } },
  })),
});
const SHORT_BATCH_BYTES = 262_144;
/** Amazon's API model reports throttling and failures of KMS as the sender's fault, too. */
const ENTRY_FAILURES = {
  'entries throttled': 'RequestThrottled',
  'entries refused': 'InvalidMessageContents',
} as const;
const JSON_TYPE = { 'content-type': 'application/x-amz-json-1.0' };

export async function startSqsProxy(target: string): Promise<SqsProxy> {
  const actions: string[] = [];
  const server = createServer(async (request, response) => {
    const action = String(request.headers['x-amz-target']).replace('AmazonSQS.', '');
    actions.push(action);
    const body = await read(request);
    const treatment = proxy.treat(action, accessKeyOf(request));
    if (treatment === 'silent') return;
    if (treatment === 'eleven') return void response.writeHead(200, JSON_TYPE).end(ELEVEN);
    if (treatment === 'empty') return void response.writeHead(200, JSON_TYPE).end('{}');
    if (treatment === 'stalled') return void response.writeHead(200, JSON_TYPE).write('{');
    if (treatment === 'huge') return void response.writeHead(200, JSON_TYPE).end(HUGE);
    if (treatment === 'cut before') return void request.socket.destroy();
    if (isRefused(treatment, body)) {
      const [status, name] = REFUSALS[treatment];
      response.writeHead(status, JSON_TYPE);
      return void response.end(JSON.stringify({ __type: `com.amazonaws.sqs#${name}`, message: name }));
    }
    if (treatment === 'entries throttled' || treatment === 'entries refused') {
      const Code = ENTRY_FAILURES[treatment];
      const { Entries } = JSON.parse(body) as { Entries: { Id: string }[] };
      const Failed = Entries.map(({ Id }) => ({ Id, SenderFault: true, Code, Message: Code }));
      return void response.writeHead(200, JSON_TYPE).end(JSON.stringify({ Successful: [], Failed }));
    }
    if (treatment === 'late') await delay(LATE_MS);
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
    const answer = await fetch(target, {
      method: 'POST',
      headers: headers as Record<string, string>,
      body,
    }).catch(() => null);
    if (answer === null || treatment === 'cut after') return void request.socket.destroy();
    const text = treatment === 'no limits' ? withoutLimits(await answer.text()) : await answer.text();
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    response.end(text);
  });
  const port = await listenOnFreePort(server);
  const proxy: SqsProxy = {
    endpoint: `http://127.0.0.1:${port}`,
    treat: () => 'pass',
    actions,
    count: (wanted) => actions.filter((action) => action === wanted).length,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}

function isRefused(treatment: Treatment, body: string): treatment is keyof typeof REFUSALS {
  if (treatment !== 'short batches') return Object.hasOwn(REFUSALS, treatment);
  const { Entries } = JSON.parse(body) as { Entries: { MessageBody: string }[] };
  return Entries.reduce((bytes, { MessageBody }) => bytes + MessageBody.length, 0) > SHORT_BATCH_BYTES;
}

function withoutLimits(text: string): string {
  const { Attributes } = JSON.parse(text) as { Attributes: Record<string, string> };
  return JSON.stringify({ Attributes: { ...Attributes, MaximumMessageSize: undefined } });
}

/** The id of the access key that signed a request; empty if none did. */
function accessKeyOf({ headers }: IncomingMessage): string {
  return /Credential=([^/]+)/.exec(headers.authorization ?? '')?.[1] ?? '';
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
