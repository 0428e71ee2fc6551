import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { Multipart, MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { KIB } from '../../bytes.ts';
import { PRIVATE_FILE_MODE } from '../../file-system/file-modes.ts';
import { encodingRefusal } from '../../http/json-body.ts';
import { ProblemError } from '../../problems/problem.ts';
import { type FindMissing, ReceivedForm } from './received-form.ts';
import type { UploadFolder } from './upload-folders.ts';
import { toUploadProblem } from './upload-problems.ts';

/** Maximum number of parts of a form: more than any upload has, so that a mistyped part is read and named. */
const MAX_PARTS = 20;
/** Maximum bytes of a part that is not a file: enough for a name of 200 characters in any alphabet. */
const MAX_FIELD_BYTES = 4 * KIB;
/** Allowance for boundaries, part headers and fields in addition to the package. */
const FORM_OVERHEAD_BYTES = 64 * KIB;

/** Limits of the multipart reader for packages of up to `maxPackageBytes`. */
export function uploadLimits(maxPackageBytes: number) {
  return { fileSize: maxPackageBytes, fieldSize: MAX_FIELD_BYTES, parts: MAX_PARTS };
}

/** A completely received form. */
export interface ReceivedUpload {
  /** The other members, validated by the body schema of the route. */
  fields: Record<string, unknown>;
  /** SHA-256 of the package, hexadecimal. */
  packageHash: string;
}

/**
 * Streams the form of an upload route to disk, the package into `upload.packageFile`.
 * @throws {ProblemError} `invalid-request`, `content-too-large`, `unsupported-media-type`, `unavailable` if the
 *   disk is full
 * @throws the reason of `signal`
 */
export async function receivePackage(
  request: FastifyRequest,
  upload: UploadFolder,
  {
    maxPackageBytes,
    signal,
    findMissing,
  }: { maxPackageBytes: number; signal: AbortSignal; findMissing: FindMissing },
): Promise<ReceivedUpload> {
  const refusal = encodingRefusal(request);
  if (refusal !== null) throw refusal;
  const announcedBytes = Number(request.headers['content-length'] ?? 0);
  if (announcedBytes > maxPackageBytes + FORM_OVERHEAD_BYTES) throw tooLarge(maxPackageBytes);
  // The reader of parts detects the end of a connection only while reading, so it would wait forever on a closed one.
  signal.throwIfAborted();
  const form = new ReceivedForm();
  let packageHash = '';
  try {
    for await (const part of wellFormed<Multipart>(request.parts())) {
      if (part.type === 'field') form.addField(part);
      else if (form.addFile(part))
        packageHash = await writePackage(part, upload.packageFile, maxPackageBytes);
      else part.file.resume();
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : toUploadProblem(error);
  }
  return { fields: await form.check(request, findMissing), packageHash };
}

/** Returns the hash of what it wrote. */
async function writePackage(
  { file }: MultipartFile,
  packageFile: string,
  maxPackageBytes: number,
): Promise<string> {
  await using target = await open(packageFile, 'wx', PRIVATE_FILE_MODE);
  file.once('limit', () => file.destroy(tooLarge(maxPackageBytes)));
  const hash = createHash('sha256');
  for await (const chunk of wellFormed<Buffer>(file)) {
    hash.update(chunk);
    await target.writeFile(chunk);
  }
  return hash.digest('hex');
}

/** Maps failures of the form reader to problems, which distinguishes them from failures of the disk. */
async function* wellFormed<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* source;
  } catch (error) {
    throw toFormProblem(error);
  }
}

function toFormProblem(error: unknown): unknown {
  if (error instanceof ProblemError) return error;
  switch ((error as { code?: unknown }).code) {
    case 'FST_INVALID_MULTIPART_CONTENT_TYPE':
      return error;
    case 'FST_REQ_FILE_TOO_LARGE':
      return new ProblemError(
        'content-too-large',
        'A file of the form is larger than the maximum package size',
      );
    case 'FST_PARTS_LIMIT':
      return new ProblemError('invalid-request', `The form has more than ${MAX_PARTS} parts`);
    case 'FST_PROTO_VIOLATION':
      return new ProblemError('invalid-request', 'The form has a part with an unknown name');
    case 'FST_INVALID_JSON_FIELD_ERROR':
      return new ProblemError(
        'invalid-request',
        'The form has a part that is labelled as JSON but is not valid JSON',
      );
    default:
      return malformed(error);
  }
}

function malformed(cause: unknown): ProblemError {
  return new ProblemError('invalid-request', 'The body is not a complete, well-formed multipart form', {
    cause,
  });
}

function tooLarge(maxPackageBytes: number): ProblemError {
  return new ProblemError(
    'content-too-large',
    `The package is larger than the ${maxPackageBytes} bytes that this service accepts`,
  );
}
