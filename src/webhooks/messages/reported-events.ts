import type { Transaction } from '../../database/database.ts';
import type { EventPublisher, ServiceEvent } from '../../events/event.ts';

/** Reports events on their way to a publisher, whether that triggers webhooks or not. */
export class ReportedEvents implements EventPublisher<Transaction> {
  readonly #events: EventPublisher<Transaction>;
  readonly #onOccurred: (event: ServiceEvent) => void;

  /** @param onOccurred called with each event after its transaction has committed */
  constructor(events: EventPublisher<Transaction>, onOccurred: (event: ServiceEvent) => void) {
    this.#events = events;
    this.#onOccurred = onOccurred;
  }

  async publish(tx: Transaction, ...events: readonly ServiceEvent[]): Promise<void> {
    tx.onCommit(() => {
      for (const event of events) this.#onOccurred(event);
    });
    await this.#events.publish(tx, ...events);
  }
}
