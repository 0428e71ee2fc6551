import { randomUUID } from 'node:crypto';
import type { ReceiveRequest } from '../message-queue.ts';
import type { NextLease } from './lease-statements.ts';

/** Creates leases for this instance. Their tokens have a common prefix, which identifies the instance. */
export class InstanceLeases {
  readonly prefix = `${randomUUID()}/`;

  /** Returns a lease that begins now. */
  create(now: number, { visibilityMs }: ReceiveRequest): NextLease {
    return { leaseToken: `${this.prefix}${randomUUID()}`, leasedUntil: now + visibilityMs };
  }
}
