import type { Database } from '../../src/database/database.ts';
import { DatabaseQueue } from '../../src/queue/database/database-queue.ts';
import { CredentialsCipher } from '../../src/secrets/credentials-cipher.ts';
import { WebhookService } from '../../src/webhooks/configuration/webhook-service.ts';

/** The service of webhooks over a real database, without a server. It accepts every target. */
export function webhookServiceOn(database: Database): WebhookService {
  return new WebhookService({
    database,
    cipher: new CredentialsCipher(['s'.repeat(64)]),
    lines: new DatabaseQueue({ database, maxReceives: 1, now: Date.now }),
    checkTargetUrl: () => null,
    readAssetNames: async () => new Map(),
    maxWebhooks: Number.MAX_SAFE_INTEGER,
    readOnly: false,
    log: { info: () => {} },
    now: Date.now,
  });
}
