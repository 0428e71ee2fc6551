import { readFileSync } from 'node:fs';

/** The kinds of certificates of a target; all but one are for `localhost`, `target.test` and 127.0.0.1. */
export type TargetCertificate =
  | 'trusted'
  | 'expired'
  | 'not-yet-valid'
  | 'other-host'
  | 'self-signed'
  | 'unknown-authority';

/** The certificate of the authority behind all certificates but `self-signed` and `unknown-authority`, as PEM. */
export function testAuthority(): string {
  return read('authority');
}

/** A target's certificate and its key, as PEM. */
export function targetCertificate(name: TargetCertificate): { cert: string; key: string } {
  return { cert: read(name), key: read('key') };
}

function read(name: string): string {
  return readFileSync(new URL(`./tls/${name}.pem`, import.meta.url), 'utf8');
}
