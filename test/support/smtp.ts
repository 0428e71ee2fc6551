import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { SMTPServer, type SMTPServerAuthentication } from 'smtp-server';
import type { Settings } from '../../src/settings/settings-table.ts';
import { targetCertificate } from './target-tls.ts';
import { until } from './until.ts';

/** An e-mail as it arrived. */
export interface ReceivedMail {
  from: string;
  to: string[];
  /** The whole message: header fields and body. */
  raw: string;
  subject: string;
  text: string;
  user: string | null;
}

/** What a server does with e-mail: accepts it, rejects it, or accepts connections and sends nothing. */
export type SmtpBehaviour = 'accept' | 'reject' | 'hang';

/** A real SMTP server on 127.0.0.1 that stores the received messages. */
export class MailServer implements AsyncDisposable {
  readonly mails: ReceivedMail[] = [];
  /** How many messages were rejected. */
  refused = 0;
  /** Addresses that do not exist. */
  readonly unknownAddresses = new Set<string>();
  /** Addresses whose mailbox is busy. */
  readonly busyAddresses = new Set<string>();
  behaviour: SmtpBehaviour = 'accept';
  readonly #server: SMTPServer;
  readonly #sockets = new Set<Socket>();

  constructor({
    user = null,
    password = null,
    tls = false,
  }: { user?: string | null; password?: string | null; tls?: boolean } = {}) {
    this.#server = new SMTPServer({
      ...(tls ? targetCertificate('trusted') : {}),
      disabledCommands: [...(tls ? [] : ['STARTTLS']), ...(user === null ? ['AUTH'] : [])],
      authOptional: user === null,
      allowInsecureAuth: true,
      onConnect: (_session, done) => {
        if (this.behaviour !== 'hang') done();
      },
      onAuth: (auth, _session, done) => {
        if (auth.username === user && auth.password === password) done(null, { user: auth.username });
        else done(new Error(`authentication failed for ${auth.username} with ${formsOf(auth).join(', ')}`));
      },
      onRcptTo: (address, _session, done) => {
        if (this.unknownAddresses.has(address.address)) done(failure(550, 'no such user'));
        else if (this.busyAddresses.has(address.address)) done(failure(451, 'greylisted, try later'));
        else done();
      },
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          if (this.behaviour === 'reject') {
            this.refused += 1;
            return done(failure(451, 'greylisted, try later'));
          }
          const { mailFrom, rcptTo } = session.envelope;
          this.mails.push(
            toMail(Buffer.concat(chunks).toString('utf8'), {
              from: mailFrom === false ? '' : mailFrom.address,
              to: rcptTo.map(({ address }) => address),
              user: session.user ?? null,
            }),
          );
          done();
        });
      },
    });
    this.#server.on('error', () => {});
    this.#server.server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port;
  }

  /** The settings with which a service sends e-mail to it in the clear. */
  get settings(): Partial<Settings> {
    return {
      smtp_host: '127.0.0.1',
      smtp_port: this.port,
      smtp_security: 'none',
      smtp_from: 'coursewire@example.com',
    };
  }

  async listen(port = 0): Promise<void> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server.server, 'listening');
  }

  /** Waits until this many messages have arrived. */
  async waitFor(count: number): Promise<readonly ReceivedMail[]> {
    return await until(() => this.mails.length >= count && this.mails, `${count} e-mails`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

/** Starts a mail server on a free port of 127.0.0.1. */
export async function startMailServer(
  options: ConstructorParameters<typeof MailServer>[0] = {},
): Promise<MailServer> {
  const server = new MailServer(options);
  await server.listen();
  return server;
}

/** The password as AUTH LOGIN and AUTH PLAIN send it, which servers may repeat, after the password itself. */
function formsOf({ username, password }: SMTPServerAuthentication): string[] {
  const text = password ?? '';
  const base64 = (sent: string) => Buffer.from(sent).toString('base64');
  return [text, base64(text), base64(`\0${username ?? ''}\0${text}`)];
}

function failure(responseCode: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode });
}

/** Undoes the encodings that the service uses for texts in UTF-8. */
function toMail(raw: string, envelope: { from: string; to: string[]; user: string | null }): ReceivedMail {
  const [head = '', ...rest] = raw.split('\r\n\r\n');
  const fields = head.replaceAll(/\r\n[ \t]+/g, ' ');
  const body = rest.join('\r\n\r\n');
  const encoding = /^Content-Transfer-Encoding: (.*)$/im.exec(fields)?.[1] ?? '7bit';
  return {
    ...envelope,
    raw,
    subject: decodeWords(/^Subject: (.*)$/im.exec(fields)?.[1] ?? ''),
    text: (encoding === 'base64'
      ? Buffer.from(body, 'base64').toString('utf8')
      : encoding === 'quoted-printable'
        ? quotedPrintable(body.replaceAll('=\r\n', ''))
        : body
    ).replaceAll('\r\n', '\n'),
  };
}

/** RFC 2047. */
function decodeWords(text: string): string {
  return text
    .replaceAll(/\?= =\?/g, '?==?')
    .replaceAll(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, form: string, word: string) =>
      form.toLowerCase() === 'b'
        ? Buffer.from(word, 'base64').toString('utf8')
        : quotedPrintable(word.replaceAll('_', ' ')),
    );
}

function quotedPrintable(text: string): string {
  const bytes = text.replaceAll(/=([0-9A-F]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
