import { COMMAND_LINE } from '../src/audit/actor.ts';
import type { Database } from '../src/database/database.ts';
import { ClientService } from '../src/identity/clients/client-service.ts';
import { SCOPES } from '../src/identity/scopes.ts';
import { DatabaseQueue } from '../src/queue/database/database-queue.ts';
import { loadSettings } from '../src/settings/load-settings.ts';
import { openStorage } from '../src/storage.ts';
import type { WebhookInput } from '../src/webhooks/configuration/webhook-schemas.ts';
import { WebhookService } from '../src/webhooks/configuration/webhook-service.ts';
import { SigningService } from '../src/webhooks/signing/signing-service.ts';

/** The contents of a data folder. */
export interface FolderContent {
  /** The target of all webhooks except the timed ones. */
  targetUrl: string;
  /** The number of webhooks whose lines are filled. */
  lines: number;
  /** Whether these webhooks sign their postbacks. */
  isSigned: boolean;
  /** The number of webhooks that match nothing in the benchmark. */
  otherWebhooks: number;
  /** The webhooks for timing arrivals, and how many receive all new accounts (one, if not given); null for none. */
  timing: { url: string; webhooks: number; accounts: number; creationWebhooks?: number } | null;
  /** Null for SQLite in the folder. */
  databaseUrl: string | null;
}

/** A data folder for a service. */
export interface PreparedFolder {
  path: string;
  databaseFile: string;
  databaseUrl: string | null;
  clientId: string;
  clientSecret: string;
  /** The webhooks whose lines are filled. */
  lineIds: number[];
  /** The webhooks that nothing matches. */
  otherIds: number[];
  /** Active accounts, each in the focus of one timed webhook. Deactivating one is an event. */
  accountIds: number[];
}

/** The number of concurrent transactions: on SQLite they share commits, and on PostgreSQL each waits for a connection. */
const AT_A_TIME = { sqlite: 256, postgres: 8 } as const;
/** Ids of accounts that do not exist, for the focus of webhooks that nothing matches. */
const OTHER_ACCOUNTS_FROM = 1_000_000;

/** Creates a data folder with the service's own parts. */
export async function prepareFolder(path: string, content: FolderContent): Promise<PreparedFolder> {
  const now = Date.now;
  const settings = { ...loadSettings({ env: {} }), data_dir: path, database_url: content.databaseUrl };
  await using storage = await openStorage(settings, { exclusive: true, now });
  const { database, cipher, folder } = storage;

  const clients = new ClientService({ database, now });
  const { client, clientSecret } = await clients.create(
    {
      name: 'bench',
      email: 'bench@example.com',
      scopes: SCOPES,
    },
    COMMAND_LINE,
  );
  const webhooks = new WebhookService({
    database,
    cipher,
    lines: new DatabaseQueue({ database, maxReceives: 1, now }),
    checkTargetUrl: () => null,
    readAssetNames: () => Promise.resolve(new Map()),
    maxWebhooks: Number.MAX_SAFE_INTEGER,
    readOnly: false,
    log: { info: () => {} },
    now,
  });
  const atATime = content.databaseUrl === null ? AT_A_TIME.sqlite : AT_A_TIME.postgres;
  const create = async (inputs: readonly WebhookInput[]) =>
    (await inTurns(inputs, atATime, (input) => webhooks.create(input, COMMAND_LINE))).map(({ id }) => id);

  const lineIds = await create(lineWebhooks(content));
  if (content.isSigned) {
    const signing = new SigningService({
      database,
      cipher,
      lines: new DatabaseQueue({ database, maxReceives: 1, now }),
      assertWritable: () => {},
      log: { info: () => {} },
      now,
    });
    await inTurns(lineIds, atATime, (id) => signing.rotate(id, 0, COMMAND_LINE));
  }
  const otherIds = await create(otherWebhooks(content));
  const accountIds = await createAccounts(database, content.timing?.accounts ?? 0);
  await create(timedWebhooks(content, accountIds));
  return {
    path,
    databaseFile: folder.databaseFile,
    databaseUrl: content.databaseUrl,
    clientId: client.clientId,
    clientSecret,
    lineIds,
    otherIds,
    accountIds,
  };
}

function lineWebhooks({ lines, targetUrl }: FolderContent): WebhookInput[] {
  return Array.from({ length: lines }, (_, n) => ({
    name: `Completions ${n}`,
    topic: 'REGISTRATION',
    target_url: targetUrl,
  }));
}

/** Half have another subtopic. Half have the same one as the timed webhooks, but are focused on other accounts. */
function otherWebhooks({ otherWebhooks: count, targetUrl }: FolderContent): WebhookInput[] {
  return Array.from({ length: count }, (_, n) => ({
    name: `Others ${n}`,
    topic: 'ACCOUNT',
    target_url: targetUrl,
    ...(n % 2 === 0
      ? { subtopics: ['ACCOUNT_DELETED'] }
      : {
          subtopics: ['ACCOUNT_ACTIVATION_UPDATED'],
          focus: [{ webhook_focus_type: 'ACCOUNT', webhook_focus_id: OTHER_ACCOUNTS_FROM + n }],
        }),
  }));
}

/** Each timed webhook is focused on its share of the accounts. Others receive all new accounts. */
function timedWebhooks({ timing, targetUrl }: FolderContent, accountIds: readonly number[]): WebhookInput[] {
  if (timing === null) return [];
  const timed = Array.from(
    { length: timing.webhooks },
    (_, n): WebhookInput => ({
      name: `Timed ${n}`,
      topic: 'ACCOUNT',
      subtopics: ['ACCOUNT_ACTIVATION_UPDATED'],
      focus: accountIds
        .filter((_, place) => place % timing.webhooks === n)
        .map((id) => ({ webhook_focus_type: 'ACCOUNT', webhook_focus_id: id })),
      target_url: timing.url,
    }),
  );
  const creations = Array.from(
    { length: timing.creationWebhooks ?? 1 },
    (_, n): WebhookInput => ({
      name: `New accounts ${n}`,
      topic: 'ACCOUNT',
      subtopics: ['ACCOUNT_CREATED'],
      target_url: targetUrl,
    }),
  );
  return [...timed, ...creations];
}

async function createAccounts(database: Database, count: number): Promise<number[]> {
  const now = Date.now();
  return await database.transaction(async (tx) => {
    await tx.insertMany(
      'accounts',
      ['name', 'enabled', 'revision', 'created_at', 'updated_at'],
      Array.from({ length: count }, (_, n) => [`Account ${n + 1}`, 1, 1, now, now]),
    );
    const rows = await tx.all<{ id: number }>('select id from accounts order by id');
    return rows.map(({ id }) => id);
  });
}

async function inTurns<T, R>(
  inputs: readonly T[],
  atATime: number,
  work: (input: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for (let n = 0; n < inputs.length; n += atATime) {
    results.push(...(await Promise.all(inputs.slice(n, n + atATime).map(work))));
  }
  return results;
}
