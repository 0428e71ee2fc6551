import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { entityTagOf } from '../../content/files/content-key.ts';
import {
  type ByteRange,
  type ContentStore,
  RangeNotSatisfiableError,
  type StoredFile,
} from '../../content/files/content-store.ts';
import { ProblemError } from '../../problems/problem.ts';
import { mediaTypeOf } from './media-types.ts';

const MS_PER_SECOND = 1_000;
const ONE_RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/i;

/** Serves the files of the launched version below `content/`, unchanged from the content store. */
export function contentFileRoutes(
  scope: FastifyInstance,
  { store, now }: { store: ContentStore; now: () => number },
): void {
  const answer = async (
    request: FastifyRequest<{ Params: { '*': string } }>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const isHead = request.method === 'HEAD';
    const { contentKey, expiresAt } = request.launch;
    const path = filePathOf(request.params['*']);
    const etag = entityTagOf(contentKey, path);
    const seconds = Math.max(0, Math.floor((expiresAt - now()) / MS_PER_SECOND));
    const cacheControl = `private, max-age=${seconds}, immutable`;
    const condition = request.headers['if-none-match'];
    // An asterisk matches any existing file, so the file must be looked up.
    if (condition?.trim() !== '*' && names(condition, etag)) {
      return reply.code(304).headers({ ETag: etag, 'Cache-Control': cacheControl }).send();
    }
    // Ranges are defined for GET alone (RFC 9110 section 14.2).
    const range = isHead ? undefined : rangeOf(request, etag);
    const file = await read(store, contentKey, path, range, reply);
    if (file === null) throw new ProblemError('not-found', 'The course has no such file');
    if (condition?.trim() === '*') {
      file.stream.destroy();
      return reply.code(304).headers({ ETag: etag, 'Cache-Control': cacheControl }).send();
    }
    const { first, last } = file.range ?? { first: 0, last: file.size - 1 };
    reply.headers({
      'Content-Type': mediaTypeOf(path),
      'Content-Length': last - first + 1,
      'Accept-Ranges': 'bytes',
      'Cache-Control': cacheControl,
      ETag: file.etag,
      'Last-Modified': new Date(file.lastModified).toUTCString(),
      ...(file.range === null ? {} : { 'Content-Range': `bytes ${first}-${last}/${file.size}` }),
    });
    if (isHead) {
      file.stream.destroy();
      return reply.send();
    }
    return reply.code(file.range === null ? 200 : 206).send(file.bytes ?? file.stream);
  };
  // The HEAD route that Fastify would add reads the whole file.
  scope.route<{ Params: { '*': string } }>({ method: ['GET', 'HEAD'], url: '/content/*', handler: answer });
}

/** The path of a file, as web servers read addresses: repeated slashes count once, and a folder means its index page. */
function filePathOf(address: string): string {
  const path = address.replace(/\/+/g, '/').replace(/^\//, '');
  return path === '' || path.endsWith('/') ? `${path}index.html` : path;
}

/**
 * Opens a file, also if its name has the other form of Unicode. Programs on macOS write decomposed names into zips, and
 * pages request composed ones.
 */
async function read(
  store: ContentStore,
  key: string,
  path: string,
  range: ByteRange | undefined,
  reply: FastifyReply,
): Promise<StoredFile | null> {
  try {
    for (const form of new Set([path, path.normalize('NFC'), path.normalize('NFD')])) {
      const file = await store.read(key, form, range);
      if (file !== null) return file;
    }
    return null;
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
