import type { Logger } from '../../observability/log.ts';
import type { QueueKind, SqsApi } from './sqs-api.ts';
import { SqsError } from './sqs-error.ts';

/** The tag of a queue that names its installation. */
export const OWNER_TAG = 'coursewire-installation';

const WHAT_TO_DO =
  'Give each installation queues of its own (message_queue_name, dead_letter_queue_name) and start it again';

/**
 * The id of another installation that a queue belongs to by its tag; null when it is this one's, or nobody's. A queue
 * without a tag is tagged, where the credentials and the server allow it.
 * @throws {SqsError}
 */
export async function readOtherOwner(
  api: SqsApi,
  queue: QueueKind,
  installation: string,
): Promise<string | null> {
  try {
    const owner = (await api.tags(queue))[OWNER_TAG];
    if (owner === undefined) await api.tag(queue, { [OWNER_TAG]: installation });
    return owner === undefined || owner === installation ? null : owner;
  } catch (error) {
    // Tags are a convenience: each message carries the id, too.
    const { failure } = error as SqsError;
    if (error instanceof SqsError && (failure === 'permission' || failure === 'refused')) return null;
    throw error;
  }
}

/** Says that a queue is another installation's, and what to do. */
export function otherOwnerText(queueName: string, owner: string, installation: string): string {
  return (
    `the queue ${queueName} belongs to the installation ${owner}, and this is ${installation}. ${WHAT_TO_DO}. ` +
    `If that installation is gone, purge the queue and remove its tag ${OWNER_TAG}`
  );
}

/** What keeps this installation from using its queues: null while nothing does. */
export class SqsObstacle {
  readonly #log: Logger;
  readonly #onFound: () => void;
  #text: string | null = null;

  /** @param onFound stops receiving and placing */
  constructor({ log, onFound }: { log: Logger; onFound: () => void }) {
    this.#log = log;
    this.#onFound = onFound;
  }

  get text(): string | null {
    return this.#text;
  }

  /** Notes a message that is not this installation's. It stays on the queue. */
  foundMessage(queueName: string, owner: string | null): void {
    const whose =
      owner === null
        ? 'that another program sent, or another installation with an earlier release'
        : `of the installation ${owner}`;
    this.found(
      `the queue ${queueName} holds a message ${whose}. It is left there, and the queue is not used any more. ` +
        `${WHAT_TO_DO}; or take the message away and start this one again`,
    );
  }

  found(text: string): void {
    if (this.#text !== null) return;
    this.#text = text;
    this.#log.error(`Amazon SQS: ${text}`);
    this.#onFound();
  }
}
