/** Something about the queues that is not as it should be. */
export interface QueueFault {
  /** True: messages could not be kept in order, or not at all; the service does not start. */
  isFatal: boolean;
  text: string;
}

/** What the service goes by. */
export interface QueueLimits {
  /** The redrive policy's maximum-receives count; null when there is no policy. */
  maxReceives: number | null;
  /** Bytes of a message, attributes included. */
  maxBytes: number;
}

/** The attributes of a queue, as Amazon SQS tells them. */
export type QueueAttributes = Readonly<Record<string, string>>;

/** Amazon's bound on a message, where a queue does not tell its own. */
const DEFAULT_MAX_BYTES = 1_048_576;
/** Below this, dead letters may be gone before somebody looks after a weekend. */
const SHORT_RETENTION_SECONDS = 4 * 86_400;

/** Reads what the service goes by from the attributes of the message queue. */
export function readLimits(attributes: QueueAttributes): QueueLimits {
  return {
    maxReceives: readRedrivePolicy(attributes)?.maxReceives ?? null,
    maxBytes: Number(attributes.MaximumMessageSize) || DEFAULT_MAX_BYTES,
  };
}

/** All problems of the two queues. Each text names its queue. */
export function judgeQueues(
  messages: { name: string; attributes: QueueAttributes },
  dead: { name: string; attributes: QueueAttributes },
): QueueFault[] {
  const faults: QueueFault[] = [];
  const fatal = (text: string) => void faults.push({ isFatal: true, text });
  const warn = (text: string) => void faults.push({ isFatal: false, text });
  for (const { name, attributes } of [messages, dead])
    if (attributes.FifoQueue !== 'true') fatal(`the queue ${name} is not a FIFO queue`);

  const policy = readRedrivePolicy(messages.attributes);
  if (policy === null) {
    warn(`the queue ${messages.name} has no redrive policy: message_queue_max_receives limits the attempts`);
  } else if (policy.target !== dead.attributes.QueueArn) {
    warn(
      `the redrive policy of ${messages.name} names another dead-letter queue than ${dead.name}: ${policy.target}`,
    );
  }
  const retention = Number(dead.attributes.MessageRetentionPeriod ?? SHORT_RETENTION_SECONDS);
  if (retention < SHORT_RETENTION_SECONDS)
    warn(`the queue ${dead.name} keeps messages for ${retention} s only; 14 days (1209600) are best`);
  const delaySeconds = Number(messages.attributes.DelaySeconds ?? 0);
  if (delaySeconds > 0) warn(`the queue ${messages.name} delays every message by ${delaySeconds} s`);
  return faults;
}

function readRedrivePolicy(attributes: QueueAttributes): { target: string; maxReceives: number } | null {
  try {
    const policy = JSON.parse(attributes.RedrivePolicy ?? 'null') as {
      deadLetterTargetArn?: unknown;
      maxReceiveCount?: unknown;
    } | null;
    // Some servers, and some tools, write the number as text.
    const maxReceives = Number(policy?.maxReceiveCount);
    if (typeof policy?.deadLetterTargetArn !== 'string' || !(maxReceives >= 1)) return null;
    return { target: policy.deadLetterTargetArn, maxReceives };
  } catch {
    return null;
  }
}
