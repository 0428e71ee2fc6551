import type { Migration } from './migration.ts';

/** Secrets that sign the postbacks of webhooks. */
export const signingSecrets: Migration = {
  number: 25,
  name: 'signing-secrets',
  statements: ({ int }) => [
    'alter table webhooks add column signing_secret text',
    `alter table webhooks add column signing_since ${int}`,
    'alter table webhooks add column former_signing_secret text',
    `alter table webhooks add column former_signing_secret_until ${int}`,
  ],
};
