import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { webhookSignature } from '../src/delivery/webhook-signature.ts';
import { HmacKey } from '../src/webhooks/signing/hmac-key.ts';
import { exampleMessage } from './example-message.ts';

/**
 * Prints the CPU time of a signature with one secret and with two, as after a rotation, and of the same signature with
 * `createHmac`, measured in turns. Delivery rates would hide differences of one or two percent.
 */

const ROUNDS = 7;
const SIGNATURES = 100_000;
const MESSAGE_ID = '01995f3e-7d0b-7c3e-9d2a-6b1f0c9a4e21';
const TIMESTAMP = 1_769_852_530;

const body = exampleMessage({ id: 1, target_url: 'http://127.0.0.1:8080/' });
const bytes = randomBytes(32);
const key = createSecretKey(bytes);
const keys = { current: new HmacKey(bytes), former: null };
const rotated = {
  current: keys.current,
  former: { key: new HmacKey(randomBytes(32)), until: Number.POSITIVE_INFINITY },
};
const sides: Readonly<Record<string, (timestamp: number) => string>> = {
  signature: (timestamp) => webhookSignature(keys, { messageId: MESSAGE_ID, timestamp, body }, 0),
  'two secrets': (timestamp) => webhookSignature(rotated, { messageId: MESSAGE_ID, timestamp, body }, 0),
  createHmac: (timestamp) =>
    `v1,${createHmac('sha256', key).update(`${MESSAGE_ID}.${timestamp}.`).update(body).digest('base64')}`,
};

const found = new Map<string, number[]>();
// The first round warms up.
for (let round = 0; round <= ROUNDS; round++) {
  for (const [name, sign] of Object.entries(sides)) {
    const before = process.threadCpuUsage();
    for (let n = 0; n < SIGNATURES; n++) sign(TIMESTAMP + n);
    const { user, system } = process.threadCpuUsage(before);
    if (round > 0) found.set(name, [...(found.get(name) ?? []), (user + system) / SIGNATURES]);
  }
}
console.log(
  `processor time for a message of ${Buffer.byteLength(body)} bytes, the median of ${ROUNDS} rounds:`,
);
for (const [name, times] of found) {
  const median = times.sort((a, b) => a - b)[(ROUNDS - 1) / 2];
  console.log(`${name}: ${median?.toFixed(2)} µs`);
}
