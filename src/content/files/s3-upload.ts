import { type FileHandle, open, readdir } from 'node:fs/promises';
import path from 'node:path';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { MIB } from '../../bytes.ts';
import type { FairSlots } from '../../fair-slots.ts';
import { forEachConcurrently } from '../../file-system/for-each-concurrently.ts';
import { readExactly } from '../../file-system/read-exactly.ts';

/** The smallest part that S3 accepts. A part stays in memory while it is being sent, so that it can be sent again. */
const PART_BYTES = 5 * MIB;
/** Maximum number of parts of one object on S3. */
const MAX_PARTS = 10_000;
/** Maximum number of files or parts of one folder that wait for a slot. The slots limit requests across all folders. */
const PARALLEL = 12;
/** The error of a file that ends before its size. */
const TRUNCATED = 'a file was truncated while it was being uploaded';

/** Where a folder is uploaded to, and the limits. */
export interface UploadPlace {
  client: S3Client;
  bucket: string;
  /** Prefix of each file's path. */
  prefix: string;
  /** Limits the requests of all uploads together. */
  slots: FairSlots;
  requestDeadlineMs: number;
  signal: AbortSignal;
  /** Ends all requests, also those that clean up after `signal` was aborted. */
  end: AbortSignal;
}

interface Upload {
  name: string;
  file: FileHandle;
  size: number;
}

/** Uploads every file of a folder with limited memory. If it fails, no request is left running. */
export async function uploadFolder(folder: string, place: UploadPlace): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  await forEachConcurrently(files, PARALLEL, async (each, stopped) => {
    const signal = AbortSignal.any([place.signal, stopped]);
    await using file = await open(each, 'r');
    const { size } = await file.stat();
    const name = place.prefix + path.relative(folder, each).split(path.sep).join('/');
    const upload = { name, file, size };
    if (size <= PART_BYTES) await uploadWhole(upload, { ...place, signal });
    else await uploadInParts(upload, { ...place, signal });
  });
}

async function uploadWhole({ name, file, size }: Upload, place: UploadPlace): Promise<void> {
  using _slot = await place.slots.take(place.signal);
  const body = await readExactly(file, 0, size, TRUNCATED);
  await place.client.send(
    new PutObjectCommand({ Bucket: place.bucket, Key: name, Body: body }),
    within(place),
  );
}

async function uploadInParts(upload: Upload, place: UploadPlace): Promise<void> {
  const target = { Bucket: place.bucket, Key: upload.name };
  const { UploadId } = await place.client.send(new CreateMultipartUploadCommand(target), within(place));
  try {
    const parts = await uploadParts(upload, UploadId, place);
    await place.client.send(
      new CompleteMultipartUploadCommand({ ...target, UploadId, MultipartUpload: { Parts: parts } }),
      within(place),
    );
  } catch (error) {
    // Its parts would be stored and cost money. If this fails as well, they are removed with the orphans.
    await place.client
      .send(new AbortMultipartUploadCommand({ ...target, UploadId }), {
        abortSignal: AbortSignal.any([place.end, AbortSignal.timeout(place.requestDeadlineMs)]),
      })
      .catch(() => undefined);
    throw error;
  }
}

async function uploadParts(
  { name, file, size }: Upload,
  uploadId: string | undefined,
  place: UploadPlace,
): Promise<{ PartNumber: number; ETag: string | undefined }[]> {
  const partBytes = Math.max(PART_BYTES, Math.ceil(size / MAX_PARTS));
  const numbers = Array.from({ length: Math.ceil(size / partBytes) }, (_, place) => place + 1);
  const parts: { PartNumber: number; ETag: string | undefined }[] = [];
  await forEachConcurrently(numbers, PARALLEL, async (number, stopped) => {
    const signal = AbortSignal.any([place.signal, stopped]);
    using _slot = await place.slots.take(signal);
    const start = (number - 1) * partBytes;
    const body = await readExactly(file, start, Math.min(partBytes, size - start), TRUNCATED);
    const { ETag } = await place.client.send(
      new UploadPartCommand({
        Bucket: place.bucket,
        Key: name,
        UploadId: uploadId,
        PartNumber: number,
        Body: body,
      }),
      within({ ...place, signal }),
    );
    parts.push({ PartNumber: number, ETag });
  });
  return parts.sort((a, b) => a.PartNumber - b.PartNumber);
}

function within({ signal, requestDeadlineMs }: UploadPlace): { abortSignal: AbortSignal } {
  return { abortSignal: AbortSignal.any([signal, AbortSignal.timeout(requestDeadlineMs)]) };
}
