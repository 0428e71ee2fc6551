import { LineQueue, type LineQueueOptions } from '../lines/line-queue.ts';

/** The queue in the service's own database, and nowhere else. */
export class DatabaseQueue extends LineQueue {
  readonly engine = 'database';
  readonly maxReceives: number;

  constructor({ maxReceives, ...options }: LineQueueOptions & { maxReceives: number }) {
    super(options);
    this.maxReceives = maxReceives;
  }
}
