import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** A request as a target received it. */
export class ReceivedPostback {
  readonly method: string;
  /** With the query string. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  /** Epoch milliseconds. */
  readonly receivedAt: number;
  /** The number of the connection it came on, from 1. */
  readonly connection: number;
  /** The number of the request on that connection, from 1. */
  readonly requestOnConnection: number;

  constructor(
    request: IncomingMessage,
    body: Buffer,
    connection: { readonly number: number; readonly requests: number },
  ) {
    this.method = request.method ?? '';
    this.path = request.url ?? '';
    this.headers = request.headers;
    this.rawHeaders = request.rawHeaders;
    this.body = body;
    this.receivedAt = Date.now();
    this.connection = connection.number;
    this.requestOnConnection = connection.requests;
  }

  /** The body as text. */
  get text(): string {
    return this.body.toString('utf8');
  }

  /** The body as JSON. @throws {SyntaxError} if it is not JSON */
  get json(): unknown {
    return JSON.parse(this.text);
  }
}
