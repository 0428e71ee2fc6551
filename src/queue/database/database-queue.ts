import { Lines, type LinesOptions } from '../lines/lines.ts';
import type { MessageQueue } from '../message-queue.ts';

/** The queue in the database of the service: the lines alone. */
export class DatabaseQueue extends Lines implements MessageQueue {
  readonly engine = 'database';
  readonly maxReceives: number;

  constructor({ maxReceives, ...options }: LinesOptions & { maxReceives: number }) {
    super(options);
    this.maxReceives = maxReceives;
  }

  get lines(): Lines {
    return this;
  }
}
