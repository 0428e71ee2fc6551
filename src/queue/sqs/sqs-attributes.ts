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
/** Below this, messages may be gone before an outage over a weekend ends. */
const SHORT_RETENTION_SECONDS = 4 * 86_400;

/** Reads what the service goes by from the attributes of the message queue. */
export function readLimits(attributes: QueueAttributes): QueueLimits {
  return {
    maxReceives: readRedrivePolicy(attributes)?.maxReceives ?? null,
    maxBytes: Number(attributes.MaximumMessageSize) || DEFAULT_MAX_BYTES,
  };
}

/** Everything that is wrong with the two queues; names stand in each text. */
export function judgeQueues(
  messages: { name: string; attributes: QueueAttributes },
  dead: { name: string; attributes: QueueAttributes },
  needed: { visibilitySeconds: number },
): QueueFault[] {
  const faults: QueueFault[] = [];
  const fatal = (text: string) => void faults.push({ isFatal: true, text });
  const warn = (text: string) => void faults.push({ isFatal: false, text });
  for (const { name, attributes } of [messages, dead])
    if (attributes.FifoQueue !== 'true') fatal(`the queue ${name} is not a FIFO queue`);

  const policy = readRedrivePolicy(messages.attributes);
  if (policy === null) {
    warn(
      `the queue ${messages.name} has no redrive policy: messages over which a process dies come again without end`,
    );
  } else if (policy.target !== dead.attributes.QueueArn) {
    warn(
      `the redrive policy of ${messages.name} names another dead-letter queue than ${dead.name}: ${policy.target}`,
    );
  }
  // Every receive says how long it hides its message; the queue's own timeout counts for programs beside the service.
  const visibility = Number(messages.attributes.VisibilityTimeout ?? needed.visibilitySeconds);
  if (visibility < needed.visibilitySeconds) {
    warn(
      `the visibility timeout of ${messages.name} is ${visibility} s, shorter than a delivery may take: ` +
        `${needed.visibilitySeconds} s`,
    );
  }
  for (const { name, attributes } of [messages, dead]) {
    const retention = Number(attributes.MessageRetentionPeriod ?? SHORT_RETENTION_SECONDS);
    if (retention < SHORT_RETENTION_SECONDS) {
      warn(`the queue ${name} keeps messages for ${retention} s only; 14 days (1209600) are best`);
    }
    if (Number(attributes.DelaySeconds ?? 0) > 0) {
      warn(`the queue ${name} delays every message by ${attributes.DelaySeconds} s`);
    }
  }
  const [kept, deadKept] = [messages, dead].map((queue) => Number(queue.attributes.MessageRetentionPeriod));
  if (kept !== undefined && deadKept !== undefined && deadKept < kept) {
    warn(
      `the dead-letter queue ${dead.name} keeps messages for a shorter time than ${messages.name}: ` +
        'the age of a message that Amazon SQS moves goes on counting',
    );
  }
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
