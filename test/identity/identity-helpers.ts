import { fastify } from 'fastify';
import { COMMAND_LINE } from '../../src/audit/actor.ts';
import type { Database } from '../../src/database/database.ts';
import { type ApiClient, ClientService } from '../../src/identity/clients/client-service.ts';
import { AccessTokens } from '../../src/identity/tokens/access-tokens.ts';
import { tokenEndpoint } from '../../src/identity/tokens/token-endpoint.ts';
import { deriveTokenKeys } from '../../src/identity/tokens/token-keys.ts';
import { createLogs } from '../../src/observability/log.ts';
import { ManualClock } from '../support/clock.ts';
import { openTestDatabase } from '../support/database.ts';

const TOKEN_PATH = '/public/v1/auth';

/** A `webhooks_auth_secret`. */
export const AUTH_SECRET = 'a'.repeat(64);
export const LIFETIME_MS = 3_600_000;
export const START = Date.UTC(2026, 5, 1, 12);

export async function createTokens(
  database: Database,
  now: () => number,
  authSecrets: readonly [string, ...string[]] = [AUTH_SECRET],
): Promise<AccessTokens> {
  const keys = await deriveTokenKeys(database, authSecrets);
  return new AccessTokens({ reader: database.reader, keys, lifetimeMs: LIFETIME_MS, now });
}

/** A running token endpoint with one client that holds `webhooks:read webhooks:write`. */
export interface TestEndpoint extends AsyncDisposable {
  url: string;
  origin: string;
  clock: ManualClock;
  database: Database;
  clients: ClientService;
  tokens: AccessTokens;
  client: ApiClient;
  secret: string;
  /** Every line that the endpoint and its server logged. */
  logged: string[];
}

export async function startEndpoint({ Clients = ClientService } = {}): Promise<TestEndpoint> {
  await using resources = new AsyncDisposableStack();
  const { database } = resources.use(await openTestDatabase());
  const clock = new ManualClock(START);
  const logged: string[] = [];
  const destination = { write: (line: string) => void logged.push(line) };
  const clients = new Clients({ database, now: clock.now });
  const tokens = await createTokens(database, clock.now);
  const { client, clientSecret } = await clients.create(
    {
      name: 'Test',
      email: 'test@example.com',
      scopes: ['webhooks:read', 'webhooks:write'],
    },
    COMMAND_LINE,
  );
  const server = fastify({ logger: { level: 'trace', stream: destination } });
  resources.defer(() => server.close());
  await server.register(tokenEndpoint, {
    clients,
    tokens,
    log: createLogs({ level: 'trace', customLevels: {}, destination }).for('TokenEndpoint'),
  });
  const origin = await server.listen({ host: '127.0.0.1', port: 0 });
  const owned = resources.move();
  return {
    url: origin + TOKEN_PATH,
    origin,
    clock,
    database,
    clients,
    tokens,
    client,
    secret: clientSecret,
    logged,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** A Basic header as RFC 6749 §2.3.1 builds it. */
export function basic(clientId: string, secret: string): string {
  const encode = (text: string) => new URLSearchParams([['', text]]).toString().slice(1);
  return `Basic ${Buffer.from(`${encode(clientId)}:${encode(secret)}`).toString('base64')}`;
}
