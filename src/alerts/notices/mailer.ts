import type { SentMessageInfo } from 'nodemailer';
import { plainText } from '../../delivery/failure-reason.ts';
import { CENSORED } from '../../observability/censor.ts';
import type { SmtpPlace } from '../../settings/smtp-place.ts';
import { SECOND_MS } from '../../time/units.ts';

/** A server that does not connect and greet within this time has failed. */
const CONNECT_MS = 10 * SECOND_MS;
/**
 * A server that has not accepted a message within this time has failed. It may be silent for all of it: many scan a
 * message before they accept it, for up to 10 minutes (RFC 5321, 4.5.3.2.6). One that is abandoned earlier may deliver
 * the message nevertheless, and again after each retry. Below the lease of a notice.
 */
const DEADLINE_MS = 90 * SECOND_MS;
const MAX_RECIPIENTS_NAMED = 5;

/** An e-mail in plain text. */
export interface Mail {
  to: readonly string[];
  /** The addresses that the server rejected at earlier attempts. */
  rejected: readonly string[];
  subject: string;
  text: string;
  /** Identifies the message: without angle brackets and domain. The same for all attempts. */
  id: string;
  /** Ids of the messages that this one replies to. */
  repliesTo: readonly string[];
}

/** The addresses of an e-mail that was sent to some of them, as the rule writes them. */
export interface RefusedAddresses {
  /** The addresses to which it has to be sent again. */
  onlyTo: readonly string[];
  /** The addresses that were rejected for good. */
  rejected: readonly string[];
}

/** The result of sending over a channel. */
export interface SendOutcome {
  sent: boolean;
  /** Why it was not sent, or what went wrong although it was; null if all is well. Contains no secret. */
  error: string | null;
  /** Set if it was sent to some addresses, and has to be sent again to others. */
  left?: RefusedAddresses;
}

/**
 * Sends e-mail over SMTP, one connection each: alerts are rare. The library is loaded with the first message, so that
 * the startup does not pay for it.
 */
export class Mailer {
  readonly #place: SmtpPlace | null;

  /** @param place null if the settings name no server */
  constructor(place: SmtpPlace | null) {
    this.#place = place;
  }

  /** Whether the settings name a server. */
  get isConfigured(): boolean {
    return this.#place !== null;
  }

  /** Sends a message. Never rejects. @param signal aborts it */
  async send(mail: Mail, signal: AbortSignal): Promise<SendOutcome> {
    const place = this.#place;
    if (place === null) return { sent: false, error: 'the setting smtp_host is not set' };
    const deadline = AbortSignal.timeout(DEADLINE_MS);
    try {
      const info = await deliver(place, mail, AbortSignal.any([signal, deadline]));
      return outcomeOf(mail, info);
    } catch (error) {
      const reason = deadline.aborted
        ? `the SMTP server did not finish within ${DEADLINE_MS / SECOND_MS} s`
        : mailFailure(error, place);
      const before =
        mail.rejected.length === 0 ? '' : `; before, it ${refusalText('rejected', mail.rejected)}`;
      return { sent: false, error: reason + before };
    }
  }
}

/** A temporary rejection (RFC 5321, 4.2.1) of an address is tried again, a permanent one is only reported. */
function outcomeOf(mail: Mail, { rejected, rejectedErrors }: SentMessageInfo): SendOutcome {
  const refusals = (rejectedErrors ?? []) as readonly { recipient?: string; responseCode?: number }[];
  const temporary = refusals.filter(({ responseCode = 0 }) => responseCode >= 400 && responseCode < 500);
  const deferred = new Set(temporary.map(({ recipient = '' }) => writtenAlike(recipient)));
  const refused = new Set(((rejected ?? []) as readonly string[]).map(writtenAlike));
  const onlyTo = mail.to.filter((address) => deferred.has(writtenAlike(address)));
  const others = mail.to.filter((address) => refused.has(writtenAlike(address)) && !onlyTo.includes(address));
  const left = { onlyTo, rejected: [...mail.rejected, ...others] };
  return { sent: true, error: refusalsText(left), ...(onlyTo.length === 0 ? {} : { left }) };
}

/** Says which addresses a server refused; null if none. */
export function refusalsText({ onlyTo, rejected }: RefusedAddresses): string | null {
  const said = [
    ...(onlyTo.length === 0 ? [] : [refusalText('deferred', onlyTo)]),
    ...(rejected.length === 0 ? [] : [refusalText('rejected', rejected)]),
  ];
  return said.length === 0 ? null : `the SMTP server ${said.join(' and ')}`;
}

/** The library writes domains in lower case, and puts unusual names in quotation marks. */
function writtenAlike(address: string): string {
  const at = address.lastIndexOf('@');
  return address.slice(0, at).replace(/^"(.*)"$/, '$1') + address.slice(at).toLowerCase();
}

async function deliver(place: SmtpPlace, mail: Mail, signal: AbortSignal): Promise<SentMessageInfo> {
  const { createTransport } = await import('nodemailer');
  const { host, port, security, user, password, from } = place;
  const transport = createTransport({
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    ...(user === null ? {} : { auth: { user, pass: password ?? '' } }),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = from.slice(from.lastIndexOf('@') + 1);
  const idOf = (id: string) => `<${id}@${domain}>`;
  return await transport.sendMail({
    from: { name: 'Coursewire', address: from },
    to: mail.to.map((address) => ({ name: '', address })),
    subject: mail.subject,
    text: mail.text,
    messageId: idOf(mail.id),
    ...(mail.repliesTo.length === 0
      ? {}
      : { inReplyTo: idOf(mail.repliesTo[0]!), references: mail.repliesTo.map(idOf) }),
    // RFC 3834: absence notices are not sent in reply.
    headers: { 'Auto-Submitted': 'auto-generated' },
    signal,
  });
}

const SYSTEM_CODE = /\bE[A-Z]{4,}\b/;
const REASONS: ReadonlyMap<unknown, string> = new Map([
  ['ECONNREFUSED', 'connection refused by the SMTP server'],
  ['ECONNRESET', 'connection reset by the SMTP server'],
  ['ETIMEDOUT', 'the SMTP server does not respond'],
  ['EDNS', 'the host name of the SMTP server cannot be resolved'],
  ['ENOTFOUND', 'the host name of the SMTP server cannot be resolved'],
]);

/** The response of the server says most. Without one, the code does. */
function mailFailure(error: unknown, place: SmtpPlace): string {
  if (!(error instanceof Error)) return 'unknown error';
  // In this order: the beginning of a password that was cut off would be left.
  const said = (text: string) => plainText(withoutSecrets(text, place));
  const { response, code } = error as Error & { response?: unknown; code?: unknown };
  if (code === 'ETLS') return `no encrypted connection to the SMTP server: ${said(error.message)}`;
  if (typeof response === 'string' && response !== '') return `the SMTP server said: ${said(response)}`;
  const { cause } = error;
  // The library has its own codes. That of the system is in the cause or in the message.
  const ofSystem =
    cause instanceof Error && 'code' in cause ? cause.code : SYSTEM_CODE.exec(error.message)?.[0];
  const inner = REASONS.get(ofSystem);
  return inner ?? REASONS.get(code) ?? (said(error.message) || 'unknown error');
}

function refusalText(verb: 'deferred' | 'rejected', addresses: readonly string[]): string {
  const more =
    addresses.length > MAX_RECIPIENTS_NAMED ? ` and ${addresses.length - MAX_RECIPIENTS_NAMED} more` : '';
  return `${verb} ${addresses.slice(0, MAX_RECIPIENTS_NAMED).join(', ')}${more}`;
}

/** A server may repeat what it was sent. */
function withoutSecrets(text: string, { password, user }: SmtpPlace): string {
  if (password === null || password === '') return text;
  const base64 = (secret: string) => Buffer.from(secret).toString('base64');
  const secrets = [password, base64(password), base64(`\0${user ?? ''}\0${password}`)];
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, CENSORED), text);
}
