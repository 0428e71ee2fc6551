// Receives signed postbacks. Node.js 23.6 or later: PORT=9000 WEBHOOK_SECRET=whsec_… node receiver.ts
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';

const TOLERANCE_S = 5 * 60;
const MAX_BODY_BYTES = 1024 * 1024;

const key = Buffer.from((process.env.WEBHOOK_SECRET ?? '').replace(/^whsec_/, ''), 'base64');
// With an empty key, anyone could sign.
if (key.length === 0) throw new Error('Set WEBHOOK_SECRET to the signing secret of the webhook.');

/** Whether one of the signatures is that of the body, and the request is recent. */
function isGenuine(id: string, timestamp: string, signatures: string, body: Buffer): boolean {
  if (!(Math.abs(Date.now() / 1_000 - Number(timestamp)) <= TOLERANCE_S)) return false;
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  return signatures.split(' ').some((each) => {
    const [version, text = ''] = each.split(',');
    const given = Buffer.from(text, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}

/** The body; null if it is too large. Reads to the end, so that the sender gets the response. */
async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  return size <= MAX_BODY_BYTES ? Buffer.concat(chunks) : null;
}

/** Replace it with a unique column in your database, written in the transaction that stores the message. */
const handled = new Set<string>();

/** Put your code here. If it throws, the message is sent again. So add the id last. */
async function handle(id: string, body: Buffer): Promise<void> {
  if (handled.has(id)) return;
  const { subtopic } = JSON.parse(body.toString('utf8'));
  console.log(`received ${id} ${subtopic}`);
  handled.add(id);
}

/** Handles a request, and returns the status of the response. */
async function receive(request: IncomingMessage): Promise<number> {
  const body = await readBody(request);
  if (body === null) return 413;
  const header = (name: string) => String(request.headers[name] ?? '');
  const id = header('webhook-id');
  if (!isGenuine(id, header('webhook-timestamp'), header('webhook-signature'), body)) return 401;
  // The data of a test message is made up.
  if (header('webhook-test') === 'true') console.log(`test ${id}`);
  else await handle(id, body);
  return 204;
}

createServer(async (request, response) => {
  let status = 500;
  try {
    status = await receive(request);
  } catch (error) {
    // The sender has disconnected, or the message cannot be handled. An error that nobody catches ends the program.
    console.error(error);
  }
  response.writeHead(status).end();
}).listen(Number(process.env.PORT ?? 9000), '127.0.0.1');
