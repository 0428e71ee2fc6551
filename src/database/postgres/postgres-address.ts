import { createSecureContext, type SecureContext } from 'node:tls';
import { Client, type ClientConfig } from 'pg';
import { DatabaseUnavailableError } from '../database.ts';
import { translateConnectError } from './postgres-errors.ts';
import { NUMBERS_AS_NUMBERS } from './postgres-numbers.ts';
import { urlForClient } from './postgres-url.ts';

const KEEP_ALIVE_AFTER_MS = 10_000;

/** The certificates and the key of `sslrootcert`, `sslcert` and `sslkey`, and other options of TLS. */
type Tls = Exclude<ClientConfig['ssl'], boolean | undefined>;

/** A file that the URL names was read, but cannot be used. The message contains no part of the URL. */
class AddressFileError extends Error {
  override name = 'AddressFileError';
}

/**
 * Where the server is, and how to connect to it. The files that the URL names are read again for each connection, because
 * they may be renewed. While they cannot be used, their earlier content is used, and errors of connections say why.
 */
export class PostgresAddress {
  readonly #given: ClientConfig & { pipeline: boolean };
  #config: ClientConfig & { pipeline: boolean };
  #context: { files: string; made: SecureContext } | null = null;
  /** Why the earlier content of the files is in use; null if the newest is. */
  #outdated: string | null = null;

  /** @throws {DatabaseUnavailableError} if the URL or a file is invalid; the error does not contain the URL */
  constructor(
    url: string,
    { connectMs, statementMs, graceMs }: { connectMs: number; statementMs: number; graceMs: number },
  ) {
    this.#given = {
      connectionString: urlForClient(url),
      fallback_application_name: 'coursewire',
      connectionTimeoutMillis: connectMs,
      query_timeout: statementMs + graceMs,
      pipeline: true,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
      types: NUMBERS_AS_NUMBERS,
    };
    try {
      this.#config = this.#read();
    } catch (error) {
      throw new DatabaseUnavailableError(`database_url cannot be used: ${reasonOf(error)}`);
    }
  }

  /** The options to open a connection. Call `limitSession` afterwards. */
  clientConfig(): ClientConfig & { pipeline: boolean } {
    try {
      this.#config = this.#read();
      this.#outdated = null;
    } catch (error) {
      // Someone may be replacing a file. An error would end the process if the pool opens a connection by itself.
      this.#outdated = reasonOf(error);
    }
    return this.#config;
  }

  /** The error that callers get for an error of a new connection, including its first statements. */
  connectError(error: unknown): unknown {
    const translated = translateConnectError(error, this.#place());
    if (this.#outdated === null || translated === error) return translated;
    if (!(translated instanceof DatabaseUnavailableError)) return translated;
    return new DatabaseUnavailableError(
      `${translated.message}. The earlier content of the files of database_url was used: ${this.#outdated}`,
      { cause: translated.cause },
    );
  }

  /** The environment may have set parts of it (`PGHOST`), so an operator cannot read all of it from the URL. */
  #place(): string {
    const { host, port, database } = this.#config;
    return `${host}:${port} (database ${database})`;
  }

  #read(): ClientConfig & { pipeline: boolean } {
    const { connectionString: _, ...others } = this.#given;
    const { connectionParameters: parsed } = new Client(this.#given) as Client & {
      connectionParameters: Omit<ClientConfig, 'pipeline'>;
    };
    // `pg` hides the password, so that no copy has it.
    const config = { ...others, ...parsed, password: parsed.password };
    if (typeof parsed.ssl === 'object') config.ssl = this.#withContext(parsed.ssl);
    return config;
  }

  /** Parses the certificates only if they have changed: a file with those of all public authorities takes up to 50 ms. */
  #withContext(tls: Tls): Tls {
    const { ca, cert, key, ...others } = tls;
    // With an empty text, Node trusts all public authorities.
    if (ca === '') throw new AddressFileError('the file of sslrootcert is empty');
    const files = JSON.stringify([ca, cert, key]);
    if (this.#context?.files !== files)
      this.#context = { files, made: createSecureContext({ ca, cert, key }) };
    return { ...others, secureContext: this.#context.made };
  }
}

/** Of all reasons, only those of files cannot contain parts of the URL. */
function reasonOf(error: unknown): string {
  if (error instanceof AddressFileError) return error.message;
  const { syscall, code, message } = error as NodeJS.ErrnoException;
  const isOfFile = syscall !== undefined || code?.startsWith('ERR_OSSL');
  return isOfFile
    ? `a file that it names (sslrootcert, sslcert or sslkey) cannot be read: ${message}`
    : 'it cannot be read as the address of a PostgreSQL server';
}
