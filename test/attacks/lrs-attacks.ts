import { createHash } from 'node:crypto';
import { type LrsClient, lrsClient, statement } from '../player/lrs-parts.ts';
import type { WatchedService } from '../support/watched-service.ts';
import { type Attack, assertStatus } from './attack.ts';

const MIB = 2 ** 20;
const SIGNATURE = 'http://adlnet.gov/expapi/attachments/signature';

/** Attacks on the signatures and definitions of statements. */
export async function lrsAttacks(service: WatchedService): Promise<Attack[]> {
  const lrs = await lrsClient(service);
  return [repeatedSignature(lrs)];
}

function answered({ status, text }: { status: number; text: string }, ...statuses: number[]): void {
  assertStatus({ status, body: text }, ...statuses);
}

/** A statement of which a hundred attachments name one large signature. */
function repeatedSignature(lrs: LrsClient): Attack {
  const part = (text: string) => Buffer.from(text).toString('base64url');
  const payload = `${JSON.stringify(statement())}${' '.repeat(0.7 * MIB)}`;
  const content = `${part('{"alg":"RS256"}')}.${part(payload)}.${part('signature')}`;
  const attachment = {
    usageType: SIGNATURE,
    display: {},
    contentType: 'application/octet-stream',
    length: content.length,
    sha2: createHash('sha256').update(content).digest('hex'),
  };
  const json = JSON.stringify(statement({ attachments: Array(100).fill(attachment) }));
  const body =
    `--b\r\nContent-Type: application/json\r\n\r\n${json}\r\n--b\r\nContent-Transfer-Encoding: binary\r\n` +
    `X-Experience-API-Hash: ${attachment.sha2}\r\n\r\n${content}\r\n--b--\r\n`;
  return {
    name: 'statements: one signature for a hundred attachments',
    stopsBeforeDatabase: true,
    perform: async () =>
      answered(
        await lrs.call('POST', 'statements', {
          body,
          headers: { 'content-type': 'multipart/mixed; boundary=b' },
        }),
        400,
      ),
  };
}
