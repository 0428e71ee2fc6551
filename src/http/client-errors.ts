import type { Socket } from 'node:net';

/** Problems for requests that Node's parser rejects, by error code. */
const KNOWN: Readonly<Record<string, { status: number; title: string; detail: string }>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    title: 'Request Header Fields Too Large',
    detail:
      'The header fields are larger than this service accepts. In a browser, delete the cookies of this domain',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 413,
    title: 'Payload Too Large',
    detail: 'The chunk extensions are larger than this service accepts',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    title: 'Request Timeout',
    detail: 'The request did not arrive in time',
  },
};
const UNPARSABLE = { status: 400, title: 'Bad Request', detail: 'The request is not valid HTTP' };

/**
 * Responds to a connection whose request cannot be parsed, and ends it. The problem has no specific type (RFC 9457
 * section 4.2.1).
 */
export function respondToClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const { status, title, detail } = KNOWN[error.code ?? ''] ?? UNPARSABLE;
  if (socket.writable) {
    const body = JSON.stringify({ type: 'about:blank', title, status, detail });
    socket.write(
      `HTTP/1.1 ${status} ${title}\r\nContent-Type: application/problem+json\r\n` +
        'Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n' +
        `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    );
  }
  socket.destroy(error);
}
