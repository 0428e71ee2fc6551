// Receives signed postbacks. Node.js 23.6 or later: PORT=9000 WEBHOOK_SECRET=whsec_… node receiver.ts
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';

const key = Buffer.from((process.env.WEBHOOK_SECRET ?? '').replace(/^whsec_/, ''), 'base64');
const TOLERANCE_S = 5 * 60;

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

/** Replace it with a unique column in your database, written in the transaction that stores the message. */
const handled = new Set<string>();

createServer(async (request, response) => {
  const body = await buffer(request);
  const header = (name: string) => String(request.headers[name] ?? '');
  const id = header('webhook-id');
  if (!isGenuine(id, header('webhook-timestamp'), header('webhook-signature'), body)) {
    response.writeHead(401).end('wrong signature');
    return;
  }
  if (!handled.has(id)) {
    handled.add(id);
    const { subtopic } = JSON.parse(body.toString('utf8'));
    console.log(`received ${id} ${subtopic}`);
  }
  response.writeHead(204).end();
}).listen(Number(process.env.PORT ?? 9000), '127.0.0.1');
