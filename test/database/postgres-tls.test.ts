import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { chownSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { Transaction } from '../../src/database/database.ts';
import { PostgresDatabase } from '../../src/database/postgres/postgres-database.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { connectTo } from '../support/postgres-client.ts';
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts';
import { targetCertificate, testAuthority } from '../support/target-tls.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

/** The server of the tests comes without it. */
const HAS_PSQL = ON_POSTGRES && spawnSync('psql', ['--version']).error === undefined;

describe('TLS to PostgreSQL', { skip: !ON_POSTGRES }, () => {
  const folder = temporaryFolder();
  const authority = path.join(folder.path, 'db-ca.pem');
  const missing = path.join(folder.path, 'missing.pem');
  let server: PostgresServer;

  before(async () => {
    writeFileSync(authority, testAuthority());
    server = await startPostgresServer();
    await useCertificate(server);
  });

  after(async () => {
    await server[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  /** The URL of the server with these parameters. */
  const urlWith = (parameters: string, host = 'localhost') =>
    `${server.url.replace('127.0.0.1', host)}${parameters === '' ? '' : `?${parameters}`}`;

  /** Whether a connection with these parameters is encrypted. */
  async function isEncrypted(parameters: string, host = 'localhost'): Promise<boolean> {
    await using database = new PostgresDatabase(urlWith(parameters, host), { connections: 3 });
    const [row] = await database.reader.all<{ ssl: boolean }>(
      'select ssl from pg_stat_ssl where pid = pg_backend_pid()',
    );
    return row!.ssl;
  }

  it('works with the authority that sslrootcert names, and is off without parameters', async () => {
    assert.equal(await isEncrypted(`sslmode=verify-full&sslrootcert=${authority}`), true);
    assert.equal(await isEncrypted(''), false);
  });

  it('verifies the certificate in every mode of libpq, without a warning', async () => {
    const warnings: string[] = [];
    const onWarning = ({ message }: Error) => warnings.push(message);
    process.on('warning', onWarning);
    for (const mode of ['allow', 'prefer', 'require', 'verify-ca', 'verify-full']) {
      assert.equal(await isEncrypted(`sslmode=${mode}&sslrootcert=${authority}`), true, mode);
      await assert.rejects(isEncrypted(`sslmode=${mode}`), /certificate/, mode);
    }
    process.off('warning', onWarning);
    assert.deepEqual(warnings, []);
  });

  it('accepts a certificate for another name only with verify-ca and the file of its authority', async () => {
    // An address of this machine that is not in the certificate.
    const host = '0.0.0.0';
    const file = `sslrootcert=${authority}`;
    assert.equal(await isEncrypted(`sslmode=verify-ca&${file}`, host), true);
    for (const mode of ['allow', 'prefer', 'require', 'verify-full'])
      await assert.rejects(isEncrypted(`sslmode=${mode}&${file}`, host), {
        message:
          /does not match certificate's altnames.*\. Use a name of the certificate in database_url, or sslmode=verify-ca with/,
      });
    for (const parameters of ['sslmode=verify-ca', 'sslmode=verify-ca&sslrootcert=system'])
      await assert.rejects(isEncrypted(parameters, host), /unable to verify/);
    const unknown = path.join(folder.path, 'unknown.pem');
    writeFileSync(unknown, targetCertificate('unknown-authority').cert);
    await assert.rejects(isEncrypted(`sslmode=verify-ca&sslrootcert=${unknown}`, host), /certificate/);
  });

  for (const [parameters, message] of Object.entries({
    'sslmode=verify-full':
      /^the database could not be reached at \S+ \(database \w+\): unable to verify [\w ]*\. If you trust its authority, add sslrootcert=FILE/,
    'sslmode=verify-full&sslrootcert=system': /If you trust its authority, add sslrootcert=FILE/,
    'sslrootcert=system': /If you trust its authority, add sslrootcert=FILE/,
    'sslmode=verify-ful': /^database_url has the unknown sslmode "verify-ful"; use sslmode=verify-full/,
    [`sslmode=verify-full&sslrootcert=${missing}`]:
      /^database_url cannot be used: a file that it names \(sslrootcert, sslcert or sslkey\) cannot be read: ENOENT.*missing\.pem/,
  }))
    it(`says what is wrong with ${parameters.replace(folder.path, '')}`, async () => {
      await assert.rejects(isEncrypted(parameters), { name: 'DatabaseUnavailableError', message });
    });

  it('keeps working while the file of the authority is replaced, and reads the new one', async () => {
    const replaced = path.join(folder.path, 'replaced.pem');
    writeFileSync(replaced, testAuthority());
    await using database = new PostgresDatabase(urlWith(`sslmode=verify-full&sslrootcert=${replaced}`), {
      connections: 3,
    });
    /** Ends the only connection for changes. */
    const endConnection = async (tx: Pick<Transaction, 'all'>) => {
      await tx.all('select pg_terminate_backend(pg_backend_pid())');
    };
    const answer = async (tx: Pick<Transaction, 'all'>) => await tx.all('select 42 as answer');
    const ended = database.transaction(async (tx) => {
      await answer(tx);
      rmSync(replaced);
      await endConnection(tx);
    });
    const waiting = database.transaction(answer);
    await assert.rejects(ended, { name: 'DatabaseUnavailableError' });
    assert.deepEqual(await waiting, [{ answer: 42 }]);

    writeFileSync(replaced, targetCertificate('unknown-authority').cert);
    await assert.rejects(database.transaction(endConnection));
    await assert.rejects(database.transaction(answer), {
      name: 'DatabaseUnavailableError',
      message: /certificate/,
    });
  });

  it('names the file that could not be read if a connection with its earlier content fails', async () => {
    const lost = path.join(folder.path, 'lost.pem');
    writeFileSync(lost, targetCertificate('unknown-authority').cert);
    await using database = new PostgresDatabase(urlWith(`sslmode=verify-full&sslrootcert=${lost}`));
    rmSync(lost);
    await assert.rejects(database.reader.all('select 42 as answer'), {
      name: 'DatabaseUnavailableError',
      message: /certificate.*The earlier content of the files of database_url was used: .*ENOENT.*lost\.pem/,
    });
  });

  it('works in the programs of PostgreSQL with the same URL', {
    skip: !HAS_PSQL && 'psql is not installed',
  }, async () => {
    const args = ['--no-psqlrc', '--tuples-only', '--command=select 42'];
    const url = urlWith(`sslmode=verify-full&sslrootcert=${authority}`);
    const { stdout } = await promisify(execFile)('psql', [...args, url]);
    assert.equal(stdout.trim(), '42');
  });
});

/** Makes a running server offer TLS with a certificate for `localhost`. */
async function useCertificate({ dataFolder, url }: PostgresServer): Promise<void> {
  const { uid, gid } = statSync(dataFolder);
  for (const [name, content] of Object.entries(targetCertificate('trusted'))) {
    const file = path.join(dataFolder, `server.${name}`);
    writeFileSync(file, content, { mode: 0o600 });
    chownSync(file, uid, gid);
  }
  await using client = await connectTo(url);
  await client.query("alter system set ssl_cert_file = 'server.cert'");
  await client.query('alter system set ssl = on');
  await client.query('select pg_reload_conf()');
  const isOn = async () => (await client.query<{ ssl: string }>('show ssl')).rows[0]!.ssl === 'on';
  await until(isOn, 'the server offers TLS');
}
