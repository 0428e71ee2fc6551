import { type QueueKind, SqsApi } from '../queue/sqs/sqs-api.ts';
import { SqsError } from '../queue/sqs/sqs-error.ts';
import { claimQueues, inspectQueues, readOwners } from '../queue/sqs/sqs-queues.ts';
import { quote } from '../settings/parser.ts';
import type { SqsPlace } from '../settings/sqs-place.ts';
import { FAILURE, SUCCESS, WRONG_USE } from './exit.ts';
import { type Output, writeWrongUse } from './subcommands.ts';

const HELP = `Usage: coursewire queues <command>

Creates and checks the two FIFO queues on Amazon SQS that the settings name. Region, endpoint and credentials come from the
usual AWS sources, unless sqs_region and sqs_endpoint are set.

Commands:
  create   create missing queues, attach the dead-letter queue if there is no redrive policy, and tag both queues with
           the id of this installation; changes nothing else in existing queues
  check    list all problems of the queues; the exit code is 1 if there are any

Options:
  --help   show this text
`;

/** 14 days, Amazon's longest. */
const RETENTION_SECONDS = '1209600';
/**
 * A handle that no message ever had: using it shows whether the credentials permit it, without changing
 * anything.
 */
const NO_RECEIPT = 'AQEBcoursewirePermissionProbe';

/** Dependencies of the command. */
export interface QueuesCommandContext extends Output {
  /** Reads the settings. Not called for help or wrong usage. */
  settings: () => {
    place: SqsPlace;
    /** The redrive maximum of a new policy. */
    maxReceives: number;
  };
  /** The id of the installation that will own the queues. */
  installation: () => Promise<string>;
}

/** Runs `coursewire queues …` and returns the exit code. */
export async function runQueuesCommand(
  args: readonly string[],
  context: QueuesCommandContext,
): Promise<number> {
  const [command, ...rest] = args;
  if (args.includes('--help') || args.includes('-h')) {
    context.write(HELP);
    return SUCCESS;
  }
  if ((command !== 'create' && command !== 'check') || rest.length > 0) {
    if (command === undefined) {
      context.writeError(HELP);
      return WRONG_USE;
    }
    const fault = `Unknown command ${quote(args.join(' '))}. The commands are: create, check.`;
    return writeWrongUse(context, fault, 'queues');
  }
  const settings = { ...context.settings(), installation: await context.installation() };
  using api = new SqsApi(settings.place);
  try {
    return command === 'create' ? await create(api, settings, context) : await check(api, settings, context);
  } catch (error) {
    if (!(error instanceof SqsError)) throw error;
    context.writeError(`coursewire: ${error.message}\n`);
    return FAILURE;
  }
}

type Settings = ReturnType<QueuesCommandContext['settings']> & { installation: string };

async function create(
  api: SqsApi,
  settings: Settings,
  { write, writeError }: QueuesCommandContext,
): Promise<number> {
  for (const kind of ['dead letters', 'messages'] as const) {
    const name = api.nameOf(kind);
    if ((await attributesOf(api, kind)) !== null) {
      write(`${name} exists.\n`);
      continue;
    }
    await api.create(kind, {
      FifoQueue: 'true',
      MessageRetentionPeriod: RETENTION_SECONDS,
      // Amazon's high throughput mode: quotas of the region instead of 300 requests per second.
      DeduplicationScope: 'messageGroup',
      FifoThroughputLimit: 'perMessageGroupId',
    });
    write(`${name} was created.\n`);
  }
  const [messages, dead] = await Promise.all([api.attributes('messages'), api.attributes('dead letters')]);
  if (messages.FifoQueue !== 'true' || dead.FifoQueue !== 'true') {
    writeError('coursewire: an existing queue is not a FIFO queue; see: coursewire queues check\n');
    return FAILURE;
  }
  const { others, unowned } = await readOwners(api, settings.installation);
  for (const text of others) writeError(`coursewire: ${text}\n`);
  if (others.length > 0) return FAILURE;
  await claimQueues(api, settings.installation, unowned);
  if ((messages.RedrivePolicy ?? '') === '') {
    const policy = { deadLetterTargetArn: dead.QueueArn ?? '', maxReceiveCount: settings.maxReceives };
    await api.setAttributes('messages', { RedrivePolicy: JSON.stringify(policy) });
    write(
      `${api.nameOf('messages')} moves messages to ${api.nameOf('dead letters')} after ${settings.maxReceives} receives.\n`,
    );
  }
  return SUCCESS;
}

async function check(api: SqsApi, settings: Settings, { write }: QueuesCommandContext): Promise<number> {
  const faults: string[] = [];
  const found: QueueKind[] = [];
  for (const kind of ['messages', 'dead letters'] as const) {
    try {
      if ((await attributesOf(api, kind)) === null)
        faults.push(`the queue ${api.nameOf(kind)} does not exist`);
      else found.push(kind);
    } catch (error) {
      if (!(error instanceof SqsError)) throw error;
      faults.push(error.message);
    }
  }
  if (found.length === 2) {
    const { fatal, warnings, unowned } = await inspectQueues(api, settings.installation);
    faults.push(...fatal, ...warnings);
    for (const kind of unowned)
      write(`${api.nameOf(kind)} has no owner yet. "queues create", or the first start, tags it.\n`);
  }
  if (found.includes('messages')) faults.push(...(await missingPermissions(api)));
  for (const fault of faults) write(`wrong: ${fault}\n`);
  if (faults.length > 0) return FAILURE;
  write(
    'Both queues are configured correctly. Sending and receiving were not tested, because that would change the queues.\n',
  );
  return SUCCESS;
}

/** Null when the queue does not exist. */
async function attributesOf(api: SqsApi, kind: QueueKind): Promise<Record<string, string> | null> {
  try {
    return await api.attributes(kind);
  } catch (error) {
    if (error instanceof SqsError && error.failure === 'missing queue') return null;
    throw error;
  }
}

/** Whether the credentials permit deleting, as far as that can be tested without changes. */
async function missingPermissions(api: SqsApi): Promise<string[]> {
  try {
    await api.delete([NO_RECEIPT]);
  } catch (error) {
    // Any other refusal is about the receipt handle.
    if (error instanceof SqsError && error.failure === 'permission')
      return [`the credentials do not allow sqs:DeleteMessage on ${api.nameOf('messages')}`];
  }
  return [];
}
