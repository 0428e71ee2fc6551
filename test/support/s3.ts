import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { buildApp } from 'fauxqs';
import { provideAwsCredentials } from './aws-credentials.ts';
import { listenOnFreePort } from './free-port.ts';

const BUCKET = 'courses';

/** An S3-compatible server with an empty bucket. */
export interface TestS3 extends AsyncDisposable {
  readonly bucket: string;
  readonly endpoint: string;
  /** The requests so far: method, path and query. */
  readonly requests: readonly string[];
  /**
   * Called before each request, with the id of the access key that signed it; returns the status of a rejection, perhaps with a body, `hang up`, `cut off` to break the
   * connection within the body of the response, or null to let it through.
   */
  refuse: (
    request: string,
    accessKey: string,
  ) => number | { status: number; xml: string } | 'hang up' | 'cut off' | null;
  /** The size of all responses that the server has sent so far, without their headers. */
  bytesSent: number;
  /** Called before each request; returns XML instead of the server for requests that it does not support, or null. */
  answer: (request: string) => string | null;
  /** Called before each request, which is handled once this resolves. */
  hold: (request: string) => Promise<void>;
}

/** Starts the server on a free port of 127.0.0.1, behind a proxy at which tests can reject requests. */
export async function startS3(): Promise<TestS3> {
  provideAwsCredentials();
  process.env.AWS_REGION ??= 'us-east-1';
  await using stack = new AsyncDisposableStack();
  const server = buildApp({ logger: false });
  stack.defer(async () => await server.close());
  const inner = new URL(await server.listen({ host: '127.0.0.1', port: 0 }));

  const requests: string[] = [];
  const sent = (bytes: Buffer) => {
    s3.bytesSent += bytes.length;
  };
  const door = createServer(async (incoming, outgoing) => {
    const what = `${incoming.method} ${incoming.url}`;
    requests.push(what);
    await s3.hold(what);
    const accessKey = /Credential=([^/]+)/.exec(incoming.headers.authorization ?? '')?.[1] ?? '';
    const refused = s3.refuse(what, accessKey);
    const xml = s3.answer(what);
    if (xml !== null)
      incoming.resume().on('end', () => outgoing.setHeader('content-type', 'application/xml').end(xml));
    else if (refused === null) pass(incoming, outgoing, inner, { sent });
    else if (refused === 'cut off') pass(incoming, outgoing, inner, { sent, cutOff: true });
    else if (refused === 'hang up') incoming.destroy();
    else {
      const { status, xml: body } = typeof refused === 'number' ? { status: refused, xml: '' } : refused;
      incoming.resume().on('end', () => outgoing.writeHead(status).end(body));
    }
  });
  stack.defer(() => void door.close());
  stack.defer(() => door.closeAllConnections());
  const endpoint = `http://127.0.0.1:${await listenOnFreePort(door)}`;
  const s3: TestS3 = {
    bucket: BUCKET,
    endpoint,
    requests,
    bytesSent: 0,
    refuse: () => null,
    answer: () => null,
    hold: async () => {},
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
  const client = new S3Client({ endpoint, forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  client.destroy();
  requests.length = 0;
  const opened = stack.move();
  return s3;
}

function pass(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  to: URL,
  { sent, cutOff = false }: { sent: (bytes: Buffer) => void; cutOff?: boolean },
): void {
  const { method, url, headers } = incoming;
  const onward = httpRequest({ host: to.hostname, port: to.port, method, path: url, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.on('data', sent);
    if (cutOff)
      answer.once('data', (bytes: Buffer) => outgoing.write(bytes.subarray(0, 1), () => outgoing.destroy()));
    else answer.pipe(outgoing);
  });
  onward.on('error', () => outgoing.destroy());
  incoming.on('close', () => {
    if (!incoming.complete) onward.destroy();
  });
  incoming.pipe(onward);
}
