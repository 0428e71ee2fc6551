import type { Reader, Transaction } from '../../database/database.ts';
import { type Page, type PageRequest, toPage } from '../../database/page.ts';
import { firstWithin } from '../../database/step-bytes.ts';
import { assetKey } from '../../events/asset-key.ts';
import { subtopicsOf } from '../../events/catalogue.ts';
import type { ContentReference } from '../../events/event.ts';
import { type CredentialsCipher, UndecryptableError } from '../../secrets/credentials-cipher.ts';
import { countFocuses, readFocuses, readSubtopics } from './selection-store.ts';
import type { Focus, Webhook } from './webhook.ts';
import { readWebhooks, requireWebhook, type StoredWebhook } from './webhook-store.ts';

/** Number of assets whose names are read at a time: engines limit the number of values per statement. */
const MAX_NAMES_READ = 1_000;

/** Maximum number of focuses in a page of several webhooks: about a megabyte. */
const MAX_FOCUSES_A_PAGE = 2_000;

/** An asset that a focus may name. */
export type FocusReference = ContentReference | { type: 'ACCOUNT'; id: number };

type WebhooksReader = Pick<Reader, 'query' | 'all' | 'dialect'>;

/** Returns the current names of assets by {@link assetKey}. Those that do not exist are missing. */
export type ReadAssetNames = (
  reader: WebhooksReader,
  references: readonly FocusReference[],
) => Promise<Map<string, string>>;

/** Dependencies of {@link WebhookReader}. */
export interface WebhookReaderDependencies {
  cipher: CredentialsCipher;
  readAssetNames: ReadAssetNames;
  now: () => number;
}

/** Reads webhooks with their subtopics, and with the current names of the assets in their focuses. */
export class WebhookReader {
  readonly #with: WebhookReaderDependencies;

  constructor(dependencies: WebhookReaderDependencies) {
    this.#with = dependencies;
  }

  /** @throws {ProblemError} `not-found` */
  async require(reader: WebhooksReader, id: number): Promise<Webhook> {
    const [webhook] = await this.#complete(reader, [await requireWebhook(reader, id)]);
    return webhook!;
  }

  /** A page of webhooks, in ascending order of id. It has fewer than requested if they have many focuses. */
  async page(reader: WebhooksReader, page: PageRequest): Promise<Page<Webhook>> {
    const limit = await limitByFocuses(reader, page);
    const { items, next } = toPage(await readWebhooks(reader, { ...page, limit }), limit);
    return { items: await this.#complete(reader, items), next };
  }

  /**
   * Each focus with the current name of its asset or, if the asset does not exist, with the given or the last known
   * name.
   */
  async withNames(tx: Transaction, focus: readonly Focus[], former: readonly Focus[]): Promise<Focus[]> {
    const formerNames = new Map(former.map((each) => [assetKey(each), each.name]));
    const names = await this.#readNames(tx, focus);
    return focus.map((each) => ({
      ...each,
      name: names.get(assetKey(each)) ?? each.name ?? formerNames.get(assetKey(each)) ?? null,
    }));
  }

  async #complete(reader: WebhooksReader, rows: readonly StoredWebhook[]): Promise<Webhook[]> {
    const ids = rows.map((row) => row.id);
    const subtopics = await readSubtopics(reader, ids);
    const focuses = await readFocuses(reader, ids);
    const names = await this.#readNames(reader, [...focuses.values()].flat());
    return rows.map((row) => {
      const focus = (focuses.get(row.id) ?? []).map(
        (each): Focus => ({ ...each, name: names.get(assetKey(each)) ?? each.name }),
      );
      const details = {
        subtopics: subtopics.get(row.id) ?? [],
        focus,
        authentication: this.#readAuthentication(row),
      };
      return toWebhook(row, details, this.#with.now());
    });
  }

  async #readNames(reader: WebhooksReader, focuses: readonly Focus[]): Promise<Map<string, string>> {
    const references = new Map(
      focuses.map(({ type, id }) => [assetKey({ type, id }), { type, id } as FocusReference]),
    );
    const names = new Map<string, string>();
    const wanted = [...references.values()];
    for (let from = 0; from < wanted.length; from += MAX_NAMES_READ) {
      const some = await this.#with.readAssetNames(reader, wanted.slice(from, from + MAX_NAMES_READ));
      for (const [asset, name] of some) names.set(asset, name);
    }
    return names;
  }

  #readAuthentication(row: StoredWebhook): Webhook['authentication'] {
    if (row.authentication_type !== 'BASIC' || row.credentials === null) return { type: 'NONE' };
    try {
      return { type: 'BASIC', key: this.#with.cipher.decryptCredentials(row.id, row.credentials).key };
    } catch (error) {
      if (!(error instanceof UndecryptableError)) throw error;
      // The webhook can still be read, so that setting the key and secret again corrects it.
      return { type: 'BASIC', key: '' };
    }
  }
}

/** @param now in epoch milliseconds; it decides whether a former signing secret still signs */
function toWebhook(
  row: StoredWebhook,
  details: Pick<Webhook, 'subtopics' | 'focus' | 'authentication'>,
  now: number,
): Webhook {
  const topic = row.topic as Webhook['topic'];
  const formerUntil = row.former_signing_secret_until;
  return {
    id: row.id,
    name: row.name,
    topic,
    allSubtopics: row.all_subtopics === 1,
    subtopics: subtopicsOf(topic).filter((each) => details.subtopics.includes(each)),
    focus: details.focus,
    targetUrl: row.target_url,
    authentication: details.authentication,
    enabled: row.enabled === 1,
    inactiveAt: row.inactive_at,
    paused: row.paused_at !== null,
    pausedAt: row.paused_at,
    signingSince: row.signing_since,
    formerSigningSecretUntil: formerUntil !== null && formerUntil <= now ? null : formerUntil,
    maxAttempts: row.max_attempts,
    ignoreBefore: row.ignore_before,
    loggingMode: row.logging_mode as Webhook['loggingMode'],
    inError: row.in_error === 1,
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** The limit of a page: lower than requested if its webhooks have many focuses. */
async function limitByFocuses(reader: WebhooksReader, page: PageRequest): Promise<number> {
  const counts = await countFocuses(reader, page);
  const part = firstWithin(counts, MAX_FOCUSES_A_PAGE, (focuses) => focuses);
  return part.length < counts.length ? part.length : page.limit;
}
