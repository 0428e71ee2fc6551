import { DAY_MS, SECOND_MS } from '../../time/units.ts';
import type { QueueKind, SqsApi } from './sqs-api.ts';
import { SqsError } from './sqs-error.ts';

/** The state of the queues. Each text names its queue. */
export interface QueueInspection {
  /** With these problems, messages could be lost or change their order, so the service does not start. */
  fatal: string[];
  warnings: string[];
  /** Queues without the tag of an installation. */
  unowned: QueueKind[];
  /** The redrive policy's maximum-receives count; null if there is no policy. */
  maxReceives: number | null;
  /** Maximum size of a message of each queue in bytes, including attributes. */
  maxBytes: Record<QueueKind, number>;
}

/** The tag of a queue that names its installation. */
const OWNER_TAG = 'coursewire-installation';
/** The limit on a message if a queue does not report its own: the former limit of Amazon SQS, which is smaller. */
export const DEFAULT_MAX_BYTES = 262_144;
/** With a shorter retention, dead letters could expire over a weekend, before anyone has seen them. */
const SHORT_RETENTION_SECONDS = (4 * DAY_MS) / SECOND_MS;
const WHAT_TO_DO =
  'Give each installation queues of its own (message_queue_name, dead_letter_queue_name) and restart it';

/**
 * Reads the attributes and tags of both queues, and checks them. Changes nothing.
 * @throws {SqsError} if a queue is missing or cannot be read
 */
export async function inspectQueues(api: SqsApi, installation: string): Promise<QueueInspection> {
  const [messages, dead] = await Promise.all([api.attributes('messages'), api.attributes('dead letters')]);
  const [name, deadName] = [api.nameOf('messages'), api.nameOf('dead letters')];
  const fatal: string[] = [];
  const warnings: string[] = [];
  if (messages.FifoQueue !== 'true') fatal.push(`the queue ${name} is not a FIFO queue`);
  if (dead.FifoQueue !== 'true') fatal.push(`the queue ${deadName} is not a FIFO queue`);
  const { others, unowned } = await readOwners(api, installation);
  fatal.push(...others);

  const { target, maxReceives } = readRedrivePolicy(messages.RedrivePolicy);
  if (maxReceives === null) {
    warnings.push(`the queue ${name} has no redrive policy: message_queue_max_receives limits the attempts`);
  } else if (target !== dead.QueueArn) {
    warnings.push(
      `the redrive policy of ${name} names another dead-letter queue than ${deadName}: ${target}`,
    );
  }
  const retention = Number(dead.MessageRetentionPeriod ?? SHORT_RETENTION_SECONDS);
  if (retention < SHORT_RETENTION_SECONDS)
    warnings.push(`the queue ${deadName} keeps messages for ${retention} s only; 14 days (1209600) are best`);
  const delaySeconds = Number(messages.DelaySeconds ?? 0);
  if (delaySeconds > 0) warnings.push(`the queue ${name} delays every message by ${delaySeconds} s`);
  const maxBytesOf = (queue: Record<string, string>) => Number(queue.MaximumMessageSize) || DEFAULT_MAX_BYTES;
  const maxBytes = { messages: maxBytesOf(messages), 'dead letters': maxBytesOf(dead) };
  return { fatal, warnings, unowned, maxReceives, maxBytes };
}

/**
 * Reads the owners of both queues, and changes nothing. `others` says which queues belong to another installation and
 * what to do. `unowned` are the queues without a tag. Queues whose tags may not be read are in neither.
 * @throws {SqsError}
 */
export async function readOwners(
  api: SqsApi,
  installation: string,
): Promise<{ others: string[]; unowned: QueueKind[] }> {
  const others: string[] = [];
  const unowned: QueueKind[] = [];
  for (const queue of ['messages', 'dead letters'] as const) {
    const tags = await ifAllowed(() => api.tags(queue));
    if (tags === null) continue;
    const owner = tags[OWNER_TAG];
    if (owner === undefined) unowned.push(queue);
    else if (owner !== installation)
      others.push(
        `the queue ${api.nameOf(queue)} belongs to the installation ${owner}, and this is ${installation}. ${WHAT_TO_DO}. ` +
          `If that installation is gone, purge the queue and remove its tag ${OWNER_TAG}`,
      );
  }
  return { others, unowned };
}

/**
 * Tags queues without an owner, if the credentials and the server allow it. Call it only if both queues can be used:
 * their owner would otherwise be rejected because of the tag.
 * @throws {SqsError}
 */
export async function claimQueues(
  api: SqsApi,
  installation: string,
  unowned: readonly QueueKind[],
): Promise<void> {
  for (const queue of unowned) await ifAllowed(() => api.tag(queue, { [OWNER_TAG]: installation }));
}

/** Null if the request is not allowed. Tags are a convenience: each message carries the id, too. */
async function ifAllowed<T>(request: () => Promise<T>): Promise<T | null> {
  try {
    return await request();
  } catch (error) {
    if (error instanceof SqsError && ['permission', 'refused'].includes(error.failure)) return null;
    throw error;
  }
}

/** The problem that the queue contains a message of another installation, and its remedy. */
export function otherOwnersMessage(queueName: string, owner: string | null): string {
  const whose = owner === null ? 'of another program or an earlier release' : `of the installation ${owner}`;
  return (
    `Amazon SQS: the queue ${queueName} holds a message ${whose}. The message stays there, and the queue is no longer used. ` +
    `${WHAT_TO_DO}; or remove the message and restart this one`
  );
}

function readRedrivePolicy(text = 'null'): { target: string; maxReceives: number | null } {
  try {
    const policy = JSON.parse(text) as { deadLetterTargetArn?: string; maxReceiveCount?: unknown } | null;
    // Some servers, and some tools, write the number as text.
    const maxReceives = Number(policy?.maxReceiveCount);
    if (typeof policy?.deadLetterTargetArn === 'string' && maxReceives >= 1)
      return { target: policy.deadLetterTargetArn, maxReceives };
  } catch {
    // Not JSON.
  }
  return { target: '', maxReceives: null };
}
