import { randomUUID } from 'node:crypto';
import type { ReceiveRequest } from '../message-queue.ts';
import type { NextLease } from './lease-statements.ts';

/** Creates the leases of this instance, which is known by the prefix of their tokens. */
export class InstanceLeases {
  readonly prefix = `${randomUUID()}/`;

  /** Returns a lease that begins now. */
  create(now: number, { visibilityMs }: ReceiveRequest): NextLease {
    return { leaseToken: `${this.prefix}${randomUUID()}`, leasedUntil: now + visibilityMs };
  }
}
