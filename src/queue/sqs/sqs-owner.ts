import type { QueueKind, SqsApi } from './sqs-api.ts';
import { SqsError } from './sqs-error.ts';

/** The tag of a queue that names its installation. */
export const OWNER_TAG = 'coursewire-installation';

const WHAT_TO_DO =
  'Give each installation queues of its own (message_queue_name, dead_letter_queue_name) and start it again';

/**
 * Says of each queue that its tag names another installation, and what to do. A queue without a tag is tagged, where the
 * credentials and the server allow it.
 * @throws {SqsError}
 */
export async function findOtherOwners(api: SqsApi, installation: string): Promise<string[]> {
  const found: string[] = [];
  for (const queue of ['messages', 'dead letters'] as const) {
    const owner = await claimQueue(api, queue, installation);
    if (owner !== installation)
      found.push(
        `the queue ${api.nameOf(queue)} belongs to the installation ${owner}, and this is ${installation}. ${WHAT_TO_DO}. ` +
          `If that installation is gone, purge the queue and remove its tag ${OWNER_TAG}`,
      );
  }
  return found;
}

/** Says of a message that it is not this installation's, and what to do. */
export function otherOwnersMessage(queueName: string, owner: string | null): string {
  const whose =
    owner === null
      ? 'that another program sent, or another installation with an earlier release'
      : `of the installation ${owner}`;
  return (
    `the queue ${queueName} holds a message ${whose}. It is left there, and the queue is not used any more. ` +
    `${WHAT_TO_DO}; or take the message away and start this one again`
  );
}

async function claimQueue(api: SqsApi, queue: QueueKind, installation: string): Promise<string> {
  try {
    const owner = (await api.tags(queue))[OWNER_TAG];
    if (owner === undefined) await api.tag(queue, { [OWNER_TAG]: installation });
    return owner ?? installation;
  } catch (error) {
    // Tags are a convenience: each message carries the id, too.
    const { failure } = error as SqsError;
    if (error instanceof SqsError && (failure === 'permission' || failure === 'refused')) return installation;
    throw error;
  }
}
