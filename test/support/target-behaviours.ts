import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ReceivedPostback } from './target-received.ts';

/** A request that a target has read completely, and the means to answer it. */
export interface TargetExchange {
  readonly postback: ReceivedPostback;
  readonly response: ServerResponse;
  /** The socket below the response: the bytes written here need not be HTTP. */
  readonly socket: Socket;
  /** Below TLS; the same as `socket` without TLS. */
  readonly tcp: Socket;
}

/** What a target does with a request. Some functions below combine several behaviours. */
export type Behaviour = (exchange: TargetExchange) => void;

/** The parts of a target's response besides the status. */
export interface Answer {
  readonly headers?: OutgoingHttpHeaders;
  readonly statusText?: string;
  readonly body?: string | Uint8Array;
}

/** Responds, with an empty body by default. */
export function answer(status: number, { headers = {}, statusText, body = '' }: Answer = {}): Behaviour {
  return ({ response }) => {
    if (statusText === undefined) response.writeHead(status, headers);
    else response.writeHead(status, statusText, headers);
    response.end(body);
  };
}

/** Redirects to another URL. */
export function redirect(location: string, status = 302): Behaviour {
  return answer(status, { headers: { location } });
}

/** Echoes the request with its headers, like services for testing requests. */
export function echo(status = 200): Behaviour {
  return ({ postback, response }) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ headers: postback.headers, body: postback.text }));
  };
}

/** Sends informational responses, then continues with another behaviour. */
export function informational(statuses: readonly number[], then: Behaviour = answer(200)): Behaviour {
  return (exchange) => {
    for (const status of statuses)
      exchange.socket.write(`HTTP/1.1 ${status} Informational\r\nX-Step: 1\r\n\r\n`);
    then(exchange);
  };
}

/** Never responds. */
export function hang(): Behaviour {
  return () => {};
}

/** Sends the headers and a part of the body, and never the rest. */
export function hangInBody(status = 200, part = 'part'): Behaviour {
  return ({ response }) => {
    response.writeHead(status);
    response.write(part);
  };
}

/** Sends one byte at a time, endlessly. */
export function trickle({ status = 200, intervalMs = 5 } = {}): Behaviour {
  return ({ response }) => {
    response.writeHead(status);
    const timer = setInterval(() => response.write('x'), intervalMs);
    response.once('close', () => clearInterval(timer));
  };
}

/** Sends an endless response as fast as it is read. */
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

/** Sends the beginning of a response and then repeats the same bytes, as fast as they are read. */
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

/** Closes the connection gracefully instead of responding. */
export function close(): Behaviour {
  return ({ socket }) => socket.end();
}

/** Resets the connection instead of responding. */
export function reset(): Behaviour {
  return ({ tcp }) => tcp.resetAndDestroy();
}

/** Resets the connection within the body of the response. */
export function resetInBody(status = 200): Behaviour {
  return ({ response, tcp }) => {
    response.writeHead(status, { 'content-length': 1_000 });
    response.write('part', () => tcp.resetAndDestroy());
  };
}

/** Sends raw bytes as the response, and closes the connection unless it is to be kept. */
export function rawBytes(bytes: string | Uint8Array, { keepOpen = false } = {}): Behaviour {
  return ({ socket }) => {
    if (keepOpen) socket.write(bytes);
    else socket.end(bytes);
  };
}

/** Closes the connection when it is used for a further request, like a server whose idle timeout expires just then. */
export function closeOnReuse(how: Behaviour = close(), otherwise: Behaviour = answer(200)): Behaviour {
  return when(({ requestOnConnection }) => requestOnConnection > 1, how, otherwise);
}

/** One behaviour for requests that meet a condition, another for the rest. */
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

/** Delays the response, then continues with another behaviour. */
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
