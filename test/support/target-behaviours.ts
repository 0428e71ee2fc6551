import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ReceivedPostback } from './target-received.ts';

/** A request that a target has read whole, and what it can be answered through. */
export interface TargetExchange {
  readonly postback: ReceivedPostback;
  readonly response: ServerResponse;
  /** Below the answer: what is written here need not be HTTP. */
  readonly socket: Socket;
  /** Below TLS; the same as `socket` without TLS. */
  readonly tcp: Socket;
}

/** What a target does with a request. Those below that take others choose between them. */
export type Behaviour = (exchange: TargetExchange) => void;

/** What a target answers beside the status. */
export interface Answer {
  readonly headers?: OutgoingHttpHeaders;
  readonly statusText?: string;
  readonly body?: string | Uint8Array;
}

/** Answers, with an empty body unless there is one. */
export function answer(status: number, { headers = {}, statusText, body = '' }: Answer = {}): Behaviour {
  return ({ response }) => {
    if (statusText === undefined) response.writeHead(status, headers);
    else response.writeHead(status, statusText, headers);
    response.end(body);
  };
}

/** Answers that the resource is somewhere else. */
export function redirect(location: string, status = 302): Behaviour {
  return answer(status, { headers: { location } });
}

/** Answers with what it was sent, headers included, as services for trying out requests do. */
export function echo(status = 200): Behaviour {
  return ({ postback, response }) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ headers: postback.headers, body: postback.text }));
  };
}

/** Sends informational answers, then does the rest. */
export function informational(statuses: readonly number[], then: Behaviour = answer(200)): Behaviour {
  return (exchange) => {
    for (const status of statuses)
      exchange.socket.write(`HTTP/1.1 ${status} Informational\r\nX-Step: 1\r\n\r\n`);
    then(exchange);
  };
}

/** Never answers. */
export function hang(): Behaviour {
  return () => {};
}

/** Answers the headers and a part of the body, and never the rest. */
export function hangInBody(status = 200, part = 'part'): Behaviour {
  return ({ response }) => {
    response.writeHead(status);
    response.write(part);
  };
}

/** Answers one byte at a time, without end. */
export function trickle({ status = 200, intervalMs = 5 } = {}): Behaviour {
  return ({ response }) => {
    response.writeHead(status);
    const timer = setInterval(() => response.write('x'), intervalMs);
    response.once('close', () => clearInterval(timer));
  };
}

/** Answers as fast as it is read, without end. */
export function endless(status = 200): Behaviour {
  return ({ response }) => {
    const chunk = Buffer.alloc(16 * 1_024, 'x');
    response.writeHead(status);
    const more = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', more);
    more();
  };
}

/** Sends the beginning of an answer and then the same bytes again and again, as fast as they are read. */
export function endlessBytes(beginning: string, filler: string): Behaviour {
  return ({ socket }) => {
    const chunk = filler.repeat(Math.ceil((16 * 1_024) / filler.length));
    socket.write(beginning);
    const more = () => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on('drain', more);
    more();
  };
}

/** Closes the connection instead of an answer, in an orderly way. */
export function close(): Behaviour {
  return ({ socket }) => socket.end();
}

/** Resets the connection instead of an answer. */
export function reset(): Behaviour {
  return ({ tcp }) => tcp.resetAndDestroy();
}

/** Resets the connection within the body of the answer. */
export function resetInBody(status = 200): Behaviour {
  return ({ response, tcp }) => {
    response.writeHead(status, { 'content-length': 1_000 });
    response.write('part', () => tcp.resetAndDestroy());
  };
}

/** Sends these bytes instead of an answer made by an HTTP server, and closes the connection unless it is kept. */
export function rawBytes(bytes: string | Uint8Array, { keepOpen = false } = {}): Behaviour {
  return ({ socket }) => {
    if (keepOpen) socket.write(bytes);
    else socket.end(bytes);
  };
}

/** Ends the connection when it is used for a further request, as a server whose idle timeout strikes just then. */
export function closeOnReuse(how: Behaviour = close(), otherwise: Behaviour = answer(200)): Behaviour {
  return when(({ requestOnConnection }) => requestOnConnection > 1, how, otherwise);
}

/** One behaviour for the requests of which something is true, another for the rest. */
export function when(
  condition: (postback: ReceivedPostback) => boolean,
  behaviour: Behaviour,
  otherwise: Behaviour = answer(200),
): Behaviour {
  return (exchange) => (condition(exchange.postback) ? behaviour : otherwise)(exchange);
}

/** A behaviour for each path. */
export function byPath(behaviours: Readonly<Record<string, Behaviour>>, otherwise = answer(404)): Behaviour {
  return (exchange) => (behaviours[exchange.postback.path] ?? otherwise)(exchange);
}

/** Keeps the request waiting, then does the rest. */
export function after(delayMs: number, then: Behaviour): Behaviour {
  return (exchange) => void setTimeout(() => then(exchange), delayMs);
}

/** One behaviour after another, the last one from then on. */
export function inTurn(...behaviours: readonly [Behaviour, ...Behaviour[]]): Behaviour {
  let turn = 0;
  return (exchange) => {
    const behaviour = behaviours[Math.min(turn, behaviours.length - 1)];
    turn += 1;
    behaviour?.(exchange);
  };
}

/** A behaviour for the first requests, then recovery. */
export function failTimes(
  times: number,
  failure: Behaviour = answer(500),
  then: Behaviour = answer(200),
): Behaviour {
  let left = times;
  return (exchange) => {
    left -= 1;
    (left >= 0 ? failure : then)(exchange);
  };
}
