import { randomBytes } from 'node:crypto';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { UiBuild } from './ui-build.ts';

/** The path of the admin UI below the service's address. */
const UI_PATH = '/ui/';
const NONCE_BYTES = 16;
const HIDDEN = { hide: true };

/** Headers of every response of the UI, in addition to its policy. */
const HEADERS = {
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

const NOT_BUILT =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Coursewire</title>' +
  '<p>The admin UI is not built. Run <code>npm run build:ui</code> where Coursewire is installed, then restart it.';

/**
 * Serves the admin UI: its HTML at every address below `/ui/` (code in the browser chooses the page), its files by
 * their hashed names, and a redirect from `/`. If the UI is not built, a page says so.
 *
 * @param basePath the path of the service as clients see it: empty, or starting with a slash and ending without one
 */
export async function uiRoutes(
  server: FastifyInstance,
  { build, basePath }: { build: UiBuild | null; basePath: string },
): Promise<void> {
  server.get('/', { schema: HIDDEN }, (_request, reply) => reply.redirect(UI_PATH));
  server.get('/ui', { schema: HIDDEN }, (_request, reply) => reply.redirect(UI_PATH));

  if (build === null) {
    server.get(`${UI_PATH}*`, { schema: HIDDEN }, (_request, reply) =>
      reply
        .code(503)
        .headers({ ...HEADERS, 'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'" })
        .type('text/html; charset=utf-8')
        .send(NOT_BUILT),
    );
    return;
  }

  await server.register(fastifyStatic, {
    root: build.assetsFolder,
    prefix: `${UI_PATH}assets/`,
    decorateReply: false,
    index: false,
    immutable: true,
    maxAge: '365d',
    preCompressed: true,
    schemaHide: true,
    setHeaders: (reply) => void reply.headers(HEADERS),
  });

  server.get<{ Params: { '*': string } }>(`${UI_PATH}*`, { schema: HIDDEN }, (request, reply) =>
    // An unknown path of the UI's own interface must not return a page.
    request.params['*'].startsWith('api/') ? reply.callNotFound() : sendPage(reply, build, basePath),
  );
}

function sendPage(reply: FastifyReply, build: UiBuild, basePath: string): FastifyReply {
  const styleNonce = randomBytes(NONCE_BYTES).toString('base64');
  return reply
    .headers({ ...HEADERS, 'Content-Security-Policy': policy(build, styleNonce) })
    .type('text/html; charset=utf-8')
    .send(build.page(`${basePath}${UI_PATH}`, styleNonce));
}

/** Nothing from elsewhere, no script but the UI's own, no frame. The components write style tags, which have the nonce. */
function policy(build: UiBuild, styleNonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' ${build.inlineScriptHashes.join(' ')}`.trim(),
    `style-src 'self' 'nonce-${styleNonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}
