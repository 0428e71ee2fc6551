#!/usr/bin/env node
// Receives Coursewire's webhooks. Needs Node.js 18.3 or later, and no packages. Copy it, and put your code into `onMessage`.
// To print messages, run: node receiver.mjs --port 9000 --key crm --secret 'a long random text'

import { createHash, timingSafeEqual } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const MAX_BODY_BYTES = 1024 * 1024;
const MAX_REQUEST_MS = 10_000;
const REMEMBERED_IDS = 10_000;

/** Throw it to respond with this status. Any other error results in 500. */
export class Refusal extends Error {
  constructor(status, reason, headers = {}) {
    super(reason);
    this.status = status;
    this.headers = headers;
  }
}

/**
 * Listens, and calls `onMessage(message, { id, headers })` for each new message. Responds with 2xx once that has returned.
 * Test messages go to `onTest` instead, because their data is made up.
 * If it throws, Coursewire sends the message again later, and the messages behind it wait. So only store the message in
 * `onMessage`, so that it survives a crash, and do the work afterwards.
 * It does not start without `key` and `secret`, the Basic credentials of the webhook, unless `acceptAnyone` is true.
 */
export async function startReceiver({
  host = '127.0.0.1',
  port = 0,
  key,
  secret,
  acceptAnyone = false,
  onMessage,
  onTest,
  onRefusal,
}) {
  assertProtected(key, secret, acceptAnyone === true);
  const credentials = acceptAnyone === true ? null : digest(`${key}:${secret}`);
  // Messages arrive at least once. To recognize repeats after a restart, store the ids with your data.
  const handled = new Map();

  async function receive(request) {
    if (request.method !== 'POST') throw new Refusal(405, 'Only POST is accepted.', { Allow: 'POST' });
    if (credentials !== null && !timingSafeEqual(digest(basicCredentials(request)), credentials)) {
      throw new Refusal(401, 'The credentials are wrong.', { 'WWW-Authenticate': 'Basic realm="webhooks"' });
    }
    const id = request.headers['webhook-id'];
    if (!id) throw new Refusal(400, 'The header webhook-id is missing.');
    const message = await readMessage(request);
    const handle = request.headers['webhook-test'] === 'true' ? onTest : onMessage;
    await once(id, async () => handle?.(message, { id, headers: request.headers }));
  }

  /** A repeated message gets the response of the first, even while the first is still being handled. */
  function once(id, handle) {
    if (handled.has(id)) return handled.get(id);
    const handling = handle();
    handled.set(id, handling);
    handling.catch(() => handled.delete(id));
    if (handled.size > REMEMBERED_IDS) handled.delete(handled.keys().next().value);
    return handling;
  }

  // Node looks for late requests only now and then, every 30 seconds by default.
  const limits = {
    requestTimeout: MAX_REQUEST_MS,
    headersTimeout: MAX_REQUEST_MS,
    connectionsCheckingInterval: 1_000,
  };
  const server = createServer(limits, async (request, response) => {
    try {
      await receive(request);
      response.writeHead(204).end();
    } catch (error) {
      onRefusal?.(error, request);
      const refusal = error instanceof Refusal ? error : new Refusal(500, 'The receiver failed.');
      response.writeHead(refusal.status, refusal.headers).end(`${refusal.message}\n`);
    }
  });
  await new Promise((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  return {
    url: `http://${host}:${server.address().port}/`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      await closed;
    },
  };
}

/** Otherwise, a variable that is not set would let anyone send. */
function assertProtected(key, secret, acceptsAnyone) {
  if (key && secret) {
    if (acceptsAnyone)
      throw new Error('Set key and secret, or acceptAnyone (--accept-anyone), but not both.');
    return;
  }
  if (key) throw new Error('The secret is missing: set secret (--secret or WEBHOOK_BASIC_SECRET).');
  if (secret) throw new Error('The key is missing: set key (--key or WEBHOOK_KEY).');
  if (acceptsAnyone) return;
  throw new Error(
    'The key and the secret are missing: set both (--key and --secret, or WEBHOOK_KEY and WEBHOOK_BASIC_SECRET). ' +
      'To accept messages from anyone, set acceptAnyone (--accept-anyone).',
  );
}

/** Digests have the same length, so comparing them always takes the same time. */
function digest(text) {
  return createHash('sha256').update(text).digest();
}

function basicCredentials(request) {
  const encoded = /^basic +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
  return Buffer.from(encoded, 'base64').toString('utf8');
}

/** Reads and drops everything beyond the limit, so that the sender gets the response. */
async function readMessage(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  if (size > MAX_BODY_BYTES) throw new Refusal(413, `The body is larger than ${MAX_BODY_BYTES} bytes.`);
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new Refusal(400, 'The body is not JSON.');
  }
}

/** As JSON, so that the message cannot contain control characters for the terminal. */
function print({ subtopic, name, resource }, id) {
  console.log('%s  %j for %j  %s', new Date().toISOString(), subtopic, name, id);
  console.log(JSON.stringify(resource, null, 2));
}

async function main() {
  const text = { type: 'string' };
  const options = { host: text, port: text, key: text, secret: text, 'accept-anyone': { type: 'boolean' } };
  const {
    host,
    port = '9000',
    key = process.env.WEBHOOK_KEY,
    secret = process.env.WEBHOOK_BASIC_SECRET,
    'accept-anyone': acceptAnyone,
  } = parseArgs({ options }).values;
  const { url } = await startReceiver({
    host,
    port: Number(port),
    key,
    secret,
    acceptAnyone,
    onMessage: (message, { id }) => print(message, id),
    onTest: (message, { id }) => print(message, `${id} (test)`),
    onRefusal: (error) => console.error(`${new Date().toISOString()}  refused: ${error.message}`),
  });
  const from = acceptAnyone ? 'anyone' : 'anyone who knows the secret';
  console.log(`Receiving at ${url} from ${from}. Press Ctrl-C to stop.`);
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  main().catch((error) => {
    console.error(`receiver: ${error.message}`);
    process.exitCode = 1;
  });
}
