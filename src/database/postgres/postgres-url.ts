import { DatabaseUnavailableError } from '../database.ts';

/** The values of `sslmode` that libpq has, and `no-verify`, which only `pg` has. */
const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];
/** `pg` verifies the certificate with each of these, too, but prints a warning that a later version will not. */
const VERIFYING = ['allow', 'prefer', 'require', 'verify-ca'];
const TLS_PARAMETERS = ['ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation'];
/** Those that only libpq has. `pg_dump` and `psql` read the same URL. */
const LIBPQ_TLS_PARAMETERS = [
  'sslcertmode',
  'sslcompression',
  'sslcrl',
  'sslcrldir',
  'sslkeylogfile',
  'sslpassword',
  'sslsni',
  'ssl_min_protocol_version',
  'ssl_max_protocol_version',
];
const KNOWN_TLS_PARAMETERS = new Set([...TLS_PARAMETERS, ...LIBPQ_TLS_PARAMETERS]);

/**
 * Translates a URL that libpq (`pg_dump`, `psql`) understands for `pg`. `sslrootcert=system` means the well-known authorities,
 * which Node trusts anyway; `pg` would look for a file of that name. As for libpq, it implies `sslmode=verify-full`.
 * Only `sslmode=verify-ca` with a file of authorities accepts certificates for other names.
 * @throws {DatabaseUnavailableError} if `sslmode` has an unknown value, or a parameter for TLS has an unknown name
 */
export function urlForClient(given: string): string {
  const url = URL.parse(given);
  if (url === null) return given;
  const { searchParams } = url;
  refuseMistyped(searchParams);
  const sslMode = searchParams.get('sslmode');
  if (sslMode !== null && !SSL_MODES.includes(sslMode)) {
    throw new DatabaseUnavailableError(
      `database_url has the unknown sslmode ${JSON.stringify(sslMode)}; ` +
        'use sslmode=verify-full to verify the certificate of the server',
    );
  }
  const trustsSystem = searchParams.get('sslrootcert') === 'system';
  const isVerifying = sslMode !== null && VERIFYING.includes(sslMode);
  // With this parameter, `pg` reads the modes as libpq does.
  const isCompatible = searchParams.has('uselibpqcompat');
  if (!trustsSystem && (!isVerifying || isCompatible)) return given;
  // As for libpq. With public authorities, the server of anyone would be accepted.
  if (sslMode === 'verify-ca' && !trustsSystem && searchParams.get('sslrootcert'))
    return withParameters(given, (name) => name !== 'sslmode', ['sslmode=verify-ca', 'uselibpqcompat=true']);
  return withParameters(given, (name) => name !== 'sslmode' && !(trustsSystem && name === 'sslrootcert'), [
    'sslmode=verify-full',
  ]);
}

/** `pg` ignores what it does not know, and would then send the password without TLS. */
function refuseMistyped(parameters: URLSearchParams): void {
  for (const name of parameters.keys()) {
    if (!/^ssl/i.test(name) || KNOWN_TLS_PARAMETERS.has(name)) continue;
    throw new DatabaseUnavailableError(
      `database_url has the unknown parameter ${JSON.stringify(name)}. For TLS, it can have ${TLS_PARAMETERS.join(', ')}`,
    );
  }
}

/**
 * Leaves out parameters and adds others. Does not write the other parts again: `pg` reads a URL whose password has a bare `%`
 * differently, and would not find an encoded path.
 */
function withParameters(url: string, isKept: (name: string) => boolean, added: readonly string[]): string {
  const [address = ''] = url.split(/[?#]/, 1);
  const [query = ''] = url.slice(address.length).replace(/^\?/, '').split('#', 1);
  const kept = query.split('&').filter((each) => {
    const [name] = new URLSearchParams(each).keys();
    return name !== undefined && isKept(name);
  });
  return `${address}?${[...kept, ...added].join('&')}`;
}
