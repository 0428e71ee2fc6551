import type { Readable } from 'node:stream';
import { MIB } from './bytes.ts';

/** The bytes of a body. @throws {Error} if there are more than the limit, which would fill the memory */
export async function bytesIn(body: Readable, limit: number, tooMany: string): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of body as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > limit) throw new Error(tooMany);
    parts.push(part);
  }
  return Buffer.concat(parts, length);
}

/**
 * The function with which a client of the AWS SDK reads responses other than objects. The SDK's own has no limit: a
 * response without an end would fill the memory.
 */
export function collectorOf(limit: number): (body: Readable) => Promise<Uint8Array> {
  return async (body) => await bytesIn(body, limit, `the response is longer than ${limit / MIB} MiB`);
}
