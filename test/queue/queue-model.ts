import type { HeadAction, LineState, QueueMessage, Settlement } from '../../src/queue/message-queue.ts';

interface ModelLine {
  messages: QueueMessage[];
  /** When the head may be received. Meaningless while the line is empty. */
  availableAt: number;
  lease: string | null;
  receives: number;
}

/** The simplest queue: arrays in memory. The tests compare engines with it. */
export class QueueModel {
  deadLetters: QueueMessage[] = [];
  /** When messages were redelivered. */
  readonly #redeliveredAt = new Map<string, number>();
  readonly #lines = new Map<number, ModelLine>();

  enqueue(messages: readonly QueueMessage[], now: number): void {
    for (const message of messages) {
      const line = this.#line(message.lineId);
      if (line.messages.length === 0) line.availableAt = now;
      line.messages.push(message);
    }
  }

  /** Lines whose head may be received, each with the time since when. */
  due(now: number): Map<number, number> {
    const due = new Map<number, number>();
    for (const [lineId, line] of this.#lines)
      if (line.messages.length > 0 && line.availableAt <= now) due.set(lineId, line.availableAt);
    return due;
  }

  /** Receives a line's head and returns it with its receive count. */
  receive(lineId: number, lease: string, until: number): { message: QueueMessage; receiveCount: number } {
    const line = this.#line(lineId);
    line.lease = lease;
    line.availableAt = until;
    line.receives += 1;
    return { message: line.messages[0]!, receiveCount: line.receives };
  }

  /** Returns the followers that were removed with the message, or null when the lease was lost. */
  settle(settlement: Settlement, now: number): QueueMessage[] | null {
    const { message } = settlement;
    const line = this.#line(message.lineId);
    if (line.lease !== message.leaseToken) return null;
    line.lease = null;
    switch (settlement.action) {
      case 'retry':
        line.availableAt = settlement.availableAt;
        return [];
      case 'release':
        line.availableAt = settlement.availableAt ?? now;
        line.receives -= 1;
        return [];
      case 'delete':
        this.#advance(line, now);
        return [];
      case 'dead-letter':
        this.deadLetters.push(this.#advance(line, now));
        return [];
      case 'discard': {
        this.#advance(line, now);
        const end = line.messages.findIndex((each) => each.occurredAt >= settlement.followersBefore);
        return line.messages.splice(0, end === -1 ? line.messages.length : end);
      }
    }
  }

  actOnHead(lineId: number, action: HeadAction, messageId: string | undefined, now: number): string {
    const line = this.#line(lineId);
    const head = line.messages[0];
    if (head === undefined) return 'empty';
    if (messageId !== undefined && messageId !== head.messageId) return 'other-head';
    if (line.lease !== null && line.availableAt > now) return 'in-flight';
    line.lease = null;
    if (action === 'retry') line.availableAt = now;
    else this.deadLetters.push(this.#advance(line, now));
    return 'done';
  }

  /** Moves the message at this position of its line, counted from 0, to the dead letters. */
  skip(lineId: number, place: number, now: number): string {
    const line = this.#line(lineId);
    const message = line.messages[place];
    if (message === undefined) return 'absent';
    if (place === 0 && this.#isInFlight(line, now)) return 'in-flight';
    if (place === 0) {
      line.lease = null;
      this.#advance(line, now);
    } else {
      line.messages.splice(place, 1);
    }
    this.deadLetters.push(message);
    return 'done';
  }

  /** Deletes messages that were queued before a given time, at most `limit`, and returns them. */
  purge(lineId: number, { before, limit }: { before: number; limit: number }, now: number): QueueMessage[] {
    const line = this.#line(lineId);
    const staysFirst = this.#isInFlight(line, now) ? 1 : 0;
    const examined = line.messages.slice(staysFirst, staysFirst + limit);
    const purged = examined.filter(({ occurredAt }) => occurredAt < before);
    if (purged.includes(line.messages[0]!)) {
      line.lease = null;
      this.#advance(line, now);
    }
    line.messages = line.messages.filter((message) => !purged.includes(message));
    return purged;
  }

  removeDeadLetters(messages: readonly QueueMessage[]): void {
    this.deadLetters = this.deadLetters.filter((message) => !messages.includes(message));
  }

  waiting(lineId: number): QueueMessage[] {
    return this.#line(lineId).messages;
  }

  redeliver(messages: readonly QueueMessage[], now: number): void {
    const ids = new Set(messages.map((message) => message.messageId));
    this.deadLetters = this.deadLetters.filter((message) => !ids.has(message.messageId));
    for (const id of ids) this.#redeliveredAt.set(id, now);
    this.enqueue(messages, now);
  }

  /** Forgets empty lines and returns them. */
  forget(lineIds: readonly number[]): number[] {
    return lineIds.filter((id) => this.#line(id).messages.length === 0);
  }

  nextAvailableAt(): number | null {
    const moments = this.#waiting().map((line) => line.availableAt);
    return moments.length === 0 ? null : Math.min(...moments);
  }

  line(lineId: number, now: number): LineState {
    const line = this.#line(lineId);
    const head = line.messages[0];
    if (head === undefined) return { depth: 0, head: null };
    return {
      depth: line.messages.length,
      head: {
        messageId: head.messageId,
        label: head.label,
        occurredAt: head.occurredAt,
        receiveCount: line.receives,
        waitingSince: this.#redeliveredAt.get(head.messageId) ?? head.occurredAt,
        inFlight: this.#isInFlight(line, now),
        availableAt: line.availableAt,
      },
    };
  }

  totals(now: number): { waiting: number; inFlight: number; deadLetters: number; linesBlocked: number } {
    const waiting = this.#waiting();
    return {
      waiting: waiting.reduce((sum, line) => sum + line.messages.length, 0),
      inFlight: waiting.filter((line) => this.#isInFlight(line, now)).length,
      deadLetters: this.deadLetters.length,
      linesBlocked: waiting.filter((line) => line.receives > (this.#isInFlight(line, now) ? 1 : 0)).length,
    };
  }

  #isInFlight(line: ModelLine, now: number): boolean {
    return line.lease !== null && line.availableAt > now;
  }

  #waiting(): ModelLine[] {
    return [...this.#lines.values()].filter((line) => line.messages.length > 0);
  }

  #line(lineId: number): ModelLine {
    let line = this.#lines.get(lineId);
    if (line === undefined) {
      line = { messages: [], availableAt: 0, lease: null, receives: 0 };
      this.#lines.set(lineId, line);
    }
    return line;
  }

  #advance(line: ModelLine, now: number): QueueMessage {
    const head = line.messages.shift()!;
    line.availableAt = now;
    line.receives = 0;
    return head;
  }
}
