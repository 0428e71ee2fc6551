import type { Client as UndiciClient } from 'undici';
// @ts-expect-error: undici has types for its main module alone.
import client from 'undici/lib/dispatcher/client.js';

/**
 * The client of undici alone. Its main module would also load `fetch`, WebSockets and a cache, which takes a twentieth of
 * the time of a start.
 */
export const Client: typeof UndiciClient = client;
