import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { entityTagOf } from '../../content/files/content-key.ts';
import {
  type ByteRange,
  type ContentStore,
  type FileFacts,
  RangeNotSatisfiableError,
  type StoredFile,
} from '../../content/files/content-store.ts';
import { failurePage, missingFilePage } from '../../content/registrations/launch-page.ts';
import { mediaTypeOf } from '../../course-packages/media-types.ts';
import { opensPage } from '../../http/problem-responses.ts';
import { ProblemError } from '../../problems/problem.ts';
import { SECOND_MS } from '../../time/units.ts';

const ONE_RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/i;

/**
 * Headers of course files that differ from those of other responses. Courses embed videos and maps of sites that must
 * know which origin embeds them. Other origins receive no path, and so no token. A sandboxed frame of a course has an
 * origin of its own, but loads scripts, styles and pictures of the course. A page of another site cannot: it would have
 * to know the token, with which it could open the course anyway.
 */
const HEADERS = {
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

/** Serves the files of the launched version below `content/`, unchanged from the content store. */
export function contentFileRoutes(
  scope: FastifyInstance,
  { store, now }: { store: ContentStore; now: () => number },
): void {
  const serveFile = async (
    request: FastifyRequest<{ Params: { '*': string } }>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const isHead = request.method === 'HEAD';
    const { contentKey, expiresAt } = request.launch;
    const path = filePathOf(request.params['*']);
    const etag = entityTagOf(contentKey, path);
    const seconds = Math.max(0, Math.floor((expiresAt - now()) / SECOND_MS));
    const cacheControl = `private, max-age=${seconds}, immutable`;
    const condition = request.headers['if-none-match'];
    // An asterisk matches any existing file, so the file must be looked up.
    const matchesAny = condition?.trim() === '*';
    if (!matchesAny && names(condition, etag)) {
      return reply.code(304).headers({ ETag: etag, 'Cache-Control': cacheControl }).send();
    }
    const headersOf = ({ size, lastModified, etag }: FileFacts) => ({
      'Content-Type': mediaTypeOf(path),
      'Content-Length': size,
      'Accept-Ranges': 'bytes',
      'Cache-Control': cacheControl,
      ETag: etag,
      'Last-Modified': new Date(lastModified).toUTCString(),
    });
    // Ranges are defined for GET alone (RFC 9110 section 14.2).
    if (isHead || matchesAny) {
      const found = await inEitherForm(path, (form) => store.find(contentKey, form));
      if (matchesAny) return reply.code(304).headers({ ETag: etag, 'Cache-Control': cacheControl }).send();
      return reply.headers(headersOf(found)).send();
    }
    const file = await read(store, contentKey, path, rangeOf(request, etag), reply);
    reply.headers(headersOf(file));
    if (file.range === null) return reply.send(file.bytes ?? file.stream);
    const { first, last } = file.range;
    return reply
      .code(206)
      .headers({ 'Content-Length': last - first + 1, 'Content-Range': `bytes ${first}-${last}/${file.size}` })
      .send(file.bytes ?? file.stream);
  };
  // The HEAD route that Fastify would add reads the whole file.
  scope.route<{ Params: { '*': string } }>({
    method: ['GET', 'HEAD'],
    url: '/content/*',
    onSend: async (_request, reply) => void reply.headers(HEADERS),
    config: { failurePage: failurePage("'self'") },
    handler: async (request, reply) => {
      try {
        return await serveFile(request, reply);
      } catch (error) {
        if (!isMissing(error) || !opensPage(request)) throw error;
        const { headers, html } = missingFilePage(filePathOf(request.params['*']));
        return reply.code(404).headers(headers).type('text/html; charset=utf-8').send(html);
      }
    },
  });
}

function isMissing(error: unknown): boolean {
  return error instanceof ProblemError && error.code === 'not-found';
}

/** The path of a file, as web servers read addresses: repeated slashes count once, and a folder means its index page. */
function filePathOf(address: string): string {
  const path = address.replace(/\/+/g, '/').replace(/^\//, '');
  return path === '' || path.endsWith('/') ? `${path}index.html` : path;
}

/**
 * Finds a file, even if its name has the other form of Unicode. Programs on macOS write decomposed names into zips, and
 * pages request composed ones.
 * @throws {ProblemError} `not-found`
 */
async function inEitherForm<File>(path: string, find: (form: string) => Promise<File | null>): Promise<File> {
  for (const form of new Set([path, path.normalize('NFC'), path.normalize('NFD')])) {
    const file = await find(form);
    if (file !== null) return file;
  }
  throw new ProblemError('not-found', 'The course has no such file');
}

/** @throws {ProblemError} `not-found`, `range-not-satisfiable` */
async function read(
  store: ContentStore,
  key: string,
  path: string,
  range: ByteRange | undefined,
  reply: FastifyReply,
): Promise<StoredFile> {
  try {
    return await inEitherForm(path, (form) => store.read(key, form, range));
  } catch (error) {
    if (!(error instanceof RangeNotSatisfiableError)) throw error;
    reply.header('Content-Range', `bytes */${error.size}`);
    throw new ProblemError('range-not-satisfiable', `The file has ${error.size} bytes`);
  }
}

/** A single range (RFC 9110 section 14.2). Several ranges, or an invalid one, mean the whole file. */
function rangeOf({ headers }: FastifyRequest, etag: string): ByteRange | undefined {
  const [, first = '', last = ''] = ONE_RANGE.exec(headers.range ?? '') ?? [];
  const condition = headers['if-range'];
  if ((first === '' && last === '') || (condition !== undefined && condition !== etag)) return undefined;
  if (first === '') return { suffix: Number(last) };
  if (last !== '' && Number(last) < Number(first)) return undefined;
  return { first: Number(first), ...(last === '' ? {} : { last: Number(last) }) };
}

function names(condition: string | undefined, etag: string): boolean {
  return condition?.split(',').some((each) => each.trim().replace(/^W\//, '') === etag) ?? false;
}
