import { hash } from 'node:crypto';
import type { SqlValue } from '../database.ts';

const DIGEST_BYTES = 16;
const MODULUS = 1n << 128n;
const DIGITS = 32;

/** A count and a checksum of rows, independent of their order, because the engines order texts differently. */
export class RowDigest {
  #sum = 0n;
  #count = 0;

  add(values: readonly SqlValue[]): void {
    const digest = hash('sha256', JSON.stringify(values), 'buffer');
    this.#sum = (this.#sum + BigInt(`0x${digest.toString('hex', 0, DIGEST_BYTES)}`)) % MODULUS;
    this.#count += 1;
  }

  get count(): number {
    return this.#count;
  }

  /** 128 bits, hexadecimal. */
  get checksum(): string {
    return this.#sum.toString(16).padStart(DIGITS, '0');
  }
}
